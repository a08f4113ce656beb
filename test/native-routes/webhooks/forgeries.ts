/** Encodes text as a header value, because fetch accepts only one-byte characters. */
export const inHeader = (text: string) => Buffer.from(text).toString('latin1')

export type Forgery = readonly [name: string, delivery: ForgedDelivery]

export interface ForgedDelivery {
  readonly headers: Record<string, string>
  readonly body: Buffer<ArrayBuffer>
}

/** Modifications of a signed body, some of which parse to the same JSON. */
export const otherBodies = (
  body: string,
): readonly (readonly [name: string, body: Buffer<ArrayBuffer>])[] => {
  const json = JSON.parse(body)
  const bytes = Buffer.from(body)
  return [
    ['a body with its fields in another order', Buffer.from(JSON.stringify(reversed(json)))],
    ['a body with more spaces', Buffer.from(JSON.stringify(json, null, 2))],
    ['a body with a line feed behind it', Buffer.concat([bytes, Buffer.from('\n')])],
    ['a body with a space before it', Buffer.concat([Buffer.from(' '), bytes])],
    ['a body behind a byte order mark', Buffer.concat([Buffer.from('\ufeff'), bytes])],
    ['a body with a NUL behind it', Buffer.concat([bytes, Buffer.from([0])])],
    ['a body that is cut short', bytes.subarray(0, -1)],
    ['no body', Buffer.alloc(0)],
    ['an empty object', Buffer.from('{}')],
    ['a body with one letter in upper case', Buffer.from(body.replace('evt', 'Evt'))],
    ['a body with a letter as an escape', Buffer.from(body.replace('evt', '\\u0065vt'))],
    ['the body twice', Buffer.concat([bytes, bytes])],
    ['bytes that are not UTF-8, replaced by U+FFFD', notUtf8(body)],
  ]
}

const reversed = (object: object) => Object.fromEntries(Object.entries(object).reverse())

const notUtf8 = (body: string) => {
  const [before = '', after = ''] = body.split('\ufffd')
  return Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)])
}

const digitsFrom = (zero: number) => (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))

/** Invalid forms of a timestamp in seconds. Each is accepted as a number by some parser. */
export const otherMoments = (moment: number): readonly (readonly [name: string, moment: string])[] => [
  ['in milliseconds', `${moment}000`],
  ['with a digit less', String(moment).slice(0, -1)],
  ['with a zero before it', `0${moment}`],
  ['with a sign', `+${moment}`],
  ['below zero', `-${moment}`],
  ['with a fraction', `${moment}.0`],
  ['with an exponent', `${moment / 10}e1`],
  ['in hexadecimal', `0x${moment.toString(16)}`],
  ['with letters behind it', `${moment}abc`],
  ['with a separator', `${String(moment).slice(0, 4)}_${String(moment).slice(4)}`],
  ['in Arabic digits', inHeader(digitsFrom(0x660)(String(moment)))],
  ['in full-width digits', inHeader(digitsFrom(0xff10)(String(moment)))],
  ['of the year 1970', '0'],
  ['that is not a number', 'now'],
  ['that is infinite', 'Infinity'],
]
