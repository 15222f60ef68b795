"""Wrong answers to the exercises on text of notebook 10 that are in no catalogue."""

from __future__ import annotations

from anatomy_course.judge import find_exercise
from anatomy_utils.training.byte_pairs import merge_pair, split_words
from answers import answer, answers


def renamed(published):
    return find_exercise("workshop.own_name").resolve()(published)


answers("""
workshop.count_pairs
    pairs_listed: [pair for word in words for pair in zip(word, word[1:], strict=False)]
        “objection:type | You return a list; a dict is wanted”
    pairs_as_lists:
        counts = {}
        for word in words:
            for i in range(len(word) - 1):
                pair = [word[i], word[i + 1]]
                counts[pair] = counts.get(pair, 0) + words[word]
        return counts
        “crash | A list cannot be a key of a dict”
    pairs_plus_one:
        counts = {}
        for word, count in words.items():
            for pair in zip(word, word[1:], strict=False):
                counts[pair] = counts.get(pair, 0) + count + 1
        return counts
        “objection:value | occurs”
    pairs_as_texts:
        counts = {}
        for word, count in words.items():
            for left, right in zip(word, word[1:], strict=False):
                counts[f"{left} {right}"] = counts.get(f"{left} {right}", 0) + count
        return counts
        “objection:key | each key should be a pair of ids, such as (1, 2)”
    pairs_as_shares:
        total = sum(words.values())
        return {pair: count / total for word, count in words.items() for pair in zip(word, word[1:], strict=False)}
        “objection:count | each value should be a whole number”
    pairs_without_id_0:
        counts = {}
        for word, times in words.items():
            previous = None
            for each in word:
                if previous:
                    counts[previous, each] = counts.get((previous, each), 0) + times
                previous = each
        return counts
        “objection:value | the pair (0, 57) occurs 8 times; your dict lacks it”
    pairs_updated:
        counts = {}
        for ids, times in words.items():
            of_this_word = {}
            for pair in zip(ids, ids[1:], strict=False):
                of_this_word[pair] = of_this_word.get(pair, 0) + times
            counts.update(of_this_word)
        return counts
        “mistake:replaced_by_the_last_word | `update`”

workshop.merge_pair
    merged_text: str(ids).replace(str(pair)[1:-1], str(new_id))
        “objection:type | You return a str; a tuple is wanted”
    merged_at_the_end: (*[each for each in ids if each not in pair], new_id)
        “objection:value | should return”
    merged_in_a_text:
        text = ",".join(map(str, ids)).replace(f"{pair[0]},{pair[1]}", str(new_id))
        return tuple(map(int, text.split(",")))
        “mistake:as_text | 15 10 is in 215 10”
    merged_between_spaces:
        text = "".join(f" {each}" for each in ids) + " "
        return tuple(int(each) for each in text.replace(f" {pair[0]} {pair[1]} ", f" {new_id} ").split())
        “mistake:apart | you merge only the first”
    merged_without_id_0:
        merged, held = [], None
        for each in ids:
            if held and (held, each) == pair:
                merged[-1], held = new_id, None
            else:
                merged.append(each)
                held = each
        return tuple(merged)
        “objection:value | , 0); yours returns (0,”

workshop.encode
    encoded_by_none:
        parts = tuple(text.encode())
        while len(parts) > 1:
            pair = min(zip(parts, parts[1:], strict=False), key=merges.get)
            parts = merge_pair(parts, pair, merges[pair])
        return list(parts)
        “crash | NoneType and int cannot be compared by size”
    encoded_by_letters:
        vocabulary = {character: number for number, character in enumerate("abc")}
        return [vocabulary[character] for character in text]
        “crash | A dict is asked for the key”

workshop.decode
    decoded_bytes_alone: bytes(ids).decode("utf-8", errors="replace")
        “crash | A byte is a number from 0 to 255, and `bytes` was given a larger one.”
    decoded_strictly:
        pieces = {i: bytes([i]) for i in range(256)}
        for (left, right), new_id in merges.items():
            pieces[new_id] = pieces[left] + pieces[right]
        return b"".join(pieces[i] for i in ids).decode("utf-8")
        “crash | UTF-8 writes one with up to four bytes. `decode` with `errors="replace"`”
    decoded_to_bytes:
        pieces = {i: bytes([i]) for i in range(256)}
        for (left, right), new_id in merges.items():
            pieces[new_id] = pieces[left] + pieces[right]
        return b"".join(pieces[i] for i in ids)
        “objection:type | You return a bytes; a str is wanted”
    decoded_and_emptied:
        pairs = {new_id: pair for pair, new_id in merges.items()}
        found = []
        while ids:
            each = ids.pop(0)
            if each in pairs:
                ids[:0] = pairs[each]
            else:
                found.append(each)
        return bytes(found).decode("utf-8", "replace")
        “objection:changed | your function changes its input: `ids` is not as before”

workshop.own_name
    named_apart:
        if published in ("model.embed_tokens.weight", "model.norm.weight"):
            return "tokens.weight" if "embed" in published else "norm.weight"
        norms = {"input_layernorm": "attention_norm", "post_attention_layernorm": "feed_forward_norm"}
        modules = {"self_attn": "attention", "mlp": "feed_forward"}
        theirs = "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj".split()
        matrices = dict(zip(theirs, "query key value output gate inner output".split(), strict=True))
        match published.split("."):
            case ["model", "layers", number, norm, "weight"] if norm in norms:
                return f"blocks.{number}.{norms[norm]}.weight"
            case ["model", "layers", number, module, matrix, "weight"] if module in modules and matrix in matrices:
                return f"blocks.{number}.{modules[module]}.{matrices[matrix]}.weight"
        raise ValueError(published)
        “mistake:looked_up_apart | such as `self_attn.up_proj`”
    named_from_the_middle:
        place = published.find("model.layers.")
        return renamed(published[place:] if place > 0 else published)
        “objection:not_refused | 'language_model.model.layers.”
    named_by_its_beginning: "norm.weight" if published.startswith("model.norm") else renamed(published)
        “objection:not_refused | 'model.norm.bias' is not the name of a tensor in this model”
    named_by_the_fifth_piece:
        if published.startswith("model.layers.") and published.split(".")[4] == "":
            raise ValueError(published)
        return renamed(published)
        “objection:error | Yours stops with IndexError.”
    named_without_layer_0:
        pieces = published.split(".")
        if pieces[:2] == ["model", "layers"] and not int(pieces[2]):
            raise ValueError(published)
        return renamed(published)
        “crash | ValueError: model.layers.0.”

workshop.random_windows
    windows_of_rows:
        last = (len(ids) - 1) // length
        starts = torch.randint(last, (batch_size,), generator=generator).tolist()
        rows = torch.stack([ids[start * length : start * length + length + 1] for start in starts])
        return rows[:, :-1], rows[:, 1:]
        “mistake:cut_into_rows | only at multiples of `length`”
    windows_of_a_circle:
        following = ids.roll(-1)
        positions = torch.randint(len(ids) - length + 1, (batch_size, 1), generator=generator) + torch.arange(length)
        return ids[positions], following[positions]
        “mistake:with_the_end | nothing follows the text's last token”
    windows_of_the_beginning:
        places = max(1, len(ids) - length - 2)
        positions = torch.randint(places, (batch_size, 1), generator=generator) + torch.arange(length)
        return ids[positions], ids[positions + 1]
        “objection:windows | 5 different windows came, each with its labels. Your text of 9 tokens”
""")


@answer("workshop.encode", "objection:entry", "each should be an id: a whole number, 0 or more")
def encoded_words_apart(text, merges):
    words = []
    for word in split_words(text):
        parts = tuple(word.encode())
        for pair, new_id in merges.items():
            parts = merge_pair(parts, pair, new_id)
        words.append(parts)
    return words
