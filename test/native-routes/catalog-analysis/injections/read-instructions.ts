export interface Instructions {
  readonly calls: readonly { readonly name: string; readonly input: string }[]
  /** Whether to repeat the calls in each response. */
  readonly isEndless: boolean
  readonly texts: readonly string[]
}

const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/gu
const tagCharacters = /[\u{e0020}-\u{e007e}]/gu
const encoded = /\bbase64\W{1,3}([\w+/]{16,}={0,2})/gi
const call =
  /\b(?:call|invoke|execute|run|use|rufe|appelle)\W{1,3}(?:(?:the|tool|function|das|werkzeug|outil)\W{1,3}){0,2}`?([a-z_]\w{2,63})`?(?:\s+(?:with|mit|avec))?\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}?)?/gi
const text = /\b(?:write|say|print|answer|reply|append|end|schreibe|écris)\b[^«»“”]{0,40}[«“]([^«»“”]*)[»”]/gi
const prompt =
  /\b(?:repeat|reveal|print|show|output|tell)\b.{0,40}\b(?:prompt|instructions|everything|secrets?|keys?|tokens?|settings)\b/i
const times = /\b(\d{1,5}) (?:times|mal)\b/i
const endless = /\b(?:forever|never stop|again and again|endlessly)\b/i

/** Placeholders for everything that the model was sent: `sent` as it is, `query` encoded for use in a URL. */
export const placeholders = { sent: '{everything}', query: '{query}' } as const

// A model can read letters that people do not see or see differently.
const reveal = (hidden: string) =>
  hidden
    .replace(tagCharacters, (character) => String.fromCodePoint((character.codePointAt(0) ?? 0) - 0xe0000))
    .replace(invisible, '')
    .normalize('NFKC')

// A name cannot contain control characters, so an instruction hidden in a name writes them as escapes.
const readEscapes = (written: string) =>
  written.replace(/\\(?:u([0-9a-f]{4})|([nrt]))/gi, (_, code: string | undefined, letter: string) =>
    code === undefined
      ? ({ n: '\n', r: '\r', t: '\t' }[letter] ?? '')
      : String.fromCharCode(Number.parseInt(code, 16)),
  )

const decode = (revealed: string) =>
  [...revealed.matchAll(encoded)].map(([, bytes = '']) => Buffer.from(bytes, 'base64').toString('utf8'))

/**
 * Reads the instructions in a text, wherever it comes from. They can be in plain words, another language, invisible or
 * wide letters, or base64. If there are none, it returns neither calls nor texts.
 */
export const readInstructions = (hidden: string): Instructions => {
  const revealed = reveal(hidden)
  const readable = [revealed, ...decode(revealed)].join('\n')
  const count = Number(times.exec(readable)?.[1] ?? 1)
  const repeat = <T>(found: readonly T[]) => Array.from({ length: count }, () => found).flat()
  const calls = [...readable.matchAll(call)].map(([, name = '', input = '{}']) => ({ name, input }))
  const texts = [...readable.matchAll(text)].map(([, written = '']) => readEscapes(written))
  return {
    calls: repeat(calls),
    isEndless: endless.test(readable),
    texts: repeat(prompt.test(readable) ? [...texts, placeholders.sent] : texts),
  }
}
