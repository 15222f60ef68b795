// What a token is shown as: a special one says in words what it is for.

const SPECIAL = { "<bos>": "⟨start⟩", "<eos>": "⟨end⟩" };

export function shownWord(text) {
  return SPECIAL[text] ?? text.replace(/^<(.*)>$/, "⟨to $1⟩");
}
