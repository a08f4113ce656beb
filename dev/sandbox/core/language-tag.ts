import * as z from 'zod'

// The subtags in the order of BCP 47, each with its leading hyphen.
const subtags = [
  /[a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8}/,
  /(-[a-z]{4})?/,
  /(-[a-z]{2}|-\d{3})?/,
  /(-[a-z\d]{5,8}|-\d[a-z\d]{3})*/,
  /(-[a-wyz\d](-[a-z\d]{2,8})+)*/,
  /(-x(-[a-z\d]{1,8})+)?/,
]
const regular = new RegExp(`^${subtags.map(({ source }) => `(${source})`).join('')}$`, 'i')
const privateUse = /^x(-[a-z\d]{1,8})+$/i
const grandfathered =
  /^(en-gb-oed|i-(ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|sgn-(be-fr|be-nl|ch-de))$/i

/** A BCP 47 language tag, trimmed. */
export const languageTag = z
  .string('expected a string')
  .trim()
  .max(64, { error: 'expected at most 64 characters', abort: true })
  .refine(
    (tag) => [regular, privateUse, grandfathered].some((pattern) => pattern.test(tag)),
    'not a language tag',
  )
