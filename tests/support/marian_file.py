"""A small Bergamot translator of whole numbers: as the Marian file that its converter would make of it, and by hand."""

import struct

import numpy as np

SETTINGS = {
    "dim-emb": 12,
    "enc-depth": 2,
    "dec-depth": 1,
    "transformer-heads": 3,
    "transformer-dim-ffn": 20,
    "type": "transformer",
    "transformer-decoder-autoreg": "rnn",
    "dec-cell": "ssru",
    "transformer-preprocess": '""',
    "transformer-postprocess": "dan",
    "transformer-ffn-activation": "relu",
    "transformer-ffn-depth": 2,
    "tied-embeddings-all": "true",
    "transformer-train-position-embeddings": "false",
}
FLOAT, WHOLE, BYTE = 0x404, 0x4101, 0x101


def variables_of_a_translator(vocab_size=17, seed=0):
    """Names as Marian has them → (numbers, scale) of a matrix, which holds numbers / scale, or float numbers."""
    chance, width, inner = np.random.default_rng(seed), SETTINGS["dim-emb"], SETTINGS["transformer-dim-ffn"]
    found = {"Wemb": (chance.integers(-127, 128, (vocab_size, width)).astype(np.int8), 200.0)}
    found["decoder_ff_logit_out_b"] = chance.normal(size=(1, vocab_size)).astype(np.float32)

    def matrix(name, rows, columns):
        found[name] = (chance.integers(-127, 128, (rows, columns)).astype(np.int8), float(chance.uniform(150, 400)))
        found[f"{name}_QuantMultA"] = np.ones((1, 1), np.float32)

    def vectors(width, *names):
        found.update({name: chance.normal(size=(1, width)).astype(np.float32) for name in names})

    def attention(name):
        for letter in "qkvo":
            matrix(f"{name}_W{letter}", width, width)
            vectors(width, f"{name}_b{letter}")
        vectors(width, f"{name}_Wo_ln_scale", f"{name}_Wo_ln_bias")

    for stack, depth in (("encoder", SETTINGS["enc-depth"]), ("decoder", SETTINGS["dec-depth"])):
        for layer in (f"{stack}_l{number}" for number in range(1, depth + 1)):
            if stack == "encoder":
                attention(f"{layer}_self")
            else:
                attention(f"{layer}_context")
                matrix(f"{layer}_rnn_W", width, width)
                matrix(f"{layer}_rnn_Wf", width, width)
                vectors(width, f"{layer}_rnn_bf", f"{layer}_rnn_ffn_ln_scale", f"{layer}_rnn_ffn_ln_bias")
            matrix(f"{layer}_ffn_W1", width, inner)
            matrix(f"{layer}_ffn_W2", inner, width)
            vectors(inner, f"{layer}_ffn_b1")
            vectors(width, f"{layer}_ffn_b2", f"{layer}_ffn_ffn_ln_scale", f"{layer}_ffn_ffn_ln_bias")
    return found


def packed(variables, settings=SETTINGS, version=1):
    """The bytes of a file; a matrix lies column by column, but for the table of tokens."""
    lines = "".join(f"{name}: {value}\n" for name, value in settings.items()) + "dim-vocabs:\n  - 17\n"
    parts = []
    for name, array in variables.items():
        if isinstance(array, tuple):
            whole, scale = array
            lies = (whole if name == "Wemb" else whole.T).tobytes() + struct.pack("<f", scale) + bytes(60)
            parts.append((name, WHOLE, whole.shape, lies))
        else:
            parts.append((name, FLOAT, array.shape, array.tobytes()))
    text = lines.encode() + b"\0"
    parts.append(("special:model.yml", BYTE, (len(text),), text))
    found = [struct.pack("<QQ", version, len(parts))]
    found += [struct.pack("<QQQQ", len(name) + 1, kind, len(shape), len(lies)) for name, kind, shape, lies in parts]
    found += [name.encode() + b"\0" for name, *_ in parts]
    found += [struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in parts]
    return b"".join([*found, struct.pack("<Q", 5), bytes(5), *(lies for *_, lies in parts)])


def by_hand(variables, source, target):
    """The logits of one text, after Marian's formulas: the source ends with 0, the target begins with None."""
    p = {name: v[0] / v[1] if isinstance(v, tuple) else v for name, v in variables.items()}
    width, heads = p["Wemb"].shape[1], SETTINGS["transformer-heads"]

    def at(place):
        angles = place * np.exp(-np.log(10000) * np.arange(width // 2) / (width // 2 - 1))
        return np.concatenate([np.sin(angles), np.cos(angles)])

    def norm(x, name):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-9)
        return x * p[f"{name}_ln_scale"] + p[f"{name}_ln_bias"]

    def attend(x, memory, name):
        def split(letter, vectors):
            made = vectors @ p[f"{name}_W{letter}"] + p[f"{name}_b{letter}"]
            return made.reshape(len(vectors), heads, -1).transpose(1, 0, 2)

        query, key, value = split("q", x), split("k", memory), split("v", memory)
        scores = np.exp(query @ key.transpose(0, 2, 1) / np.sqrt(width / heads))
        found = (scores / scores.sum(-1, keepdims=True)) @ value
        joined = found.transpose(1, 0, 2).reshape(len(x), width)
        return norm(x + joined @ p[f"{name}_Wo"] + p[f"{name}_bo"], f"{name}_Wo")

    def feed(x, name):
        hidden = np.maximum(x @ p[f"{name}_W1"] + p[f"{name}_b1"], 0)
        return norm(x + hidden @ p[f"{name}_W2"] + p[f"{name}_b2"], f"{name}_ffn")

    def embed(ids):
        vectors = [np.zeros(width) if id is None else p["Wemb"][id] * np.sqrt(width) for id in ids]
        return np.stack([vector + at(place) for place, vector in enumerate(vectors)])

    x = embed(source)
    for layer in (1, 2):
        x = feed(attend(x, x, f"encoder_l{layer}_self"), f"encoder_l{layer}_ffn")
    y, states, state = embed(target), [], np.zeros(width)
    for vector in y:
        keep = 1 / (1 + np.exp(-(vector @ p["decoder_l1_rnn_Wf"] + p["decoder_l1_rnn_bf"][0])))
        state = keep * state + (1 - keep) * (vector @ p["decoder_l1_rnn_W"])
        states.append(np.maximum(state, 0))
    y = norm(y + np.stack(states), "decoder_l1_rnn_ffn")
    y = feed(attend(y, x, "decoder_l1_context"), "decoder_l1_ffn")
    return y @ p["Wemb"].T + p["decoder_ff_logit_out_b"]
