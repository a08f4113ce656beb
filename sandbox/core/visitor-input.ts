import * as z from 'zod'

const usualSource = 'pack_link'

const storable = (text: string) => {
  const kept = Array.from(text.toWellFormed()).filter((char) => char >= ' ')
  return Array.from(kept.join('').trim()).slice(0, 120).join('') || undefined
}

/** Text of a visitor's that is cut to 120 characters and never refused for what it says. */
const label = z.string('expected a string').transform(storable).optional()

/** Who visits a link and where from. */
const visitorFields = {
  visitorId: label,
  sessionId: label,
  source: label.transform((source) => source ?? usualSource),
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
const inQuery = <T extends z.ZodType>(schema: T) => z.preprocess(firstOf, schema)

export const VisitorQuery = z.object({
  visitorId: inQuery(label),
  sessionId: inQuery(label),
  source: inQuery(visitorFields.source),
})

/** The code of a gated link; empty is none. */
export const AccessCodeQuery = z.object({
  accessCode: inQuery(z.string().optional()).transform((code) => code || undefined),
})

const longest = 2 ** 31 - 1

/** What is longer than can be kept is kept as the longest. */
const milliseconds = (min: number) =>
  z
    .int('expected a whole number')
    .min(min, `expected ${min} or more`)
    .transform((ms) => Math.min(ms, longest))

/** What a visitor's page says was done. */
export const ShareEvent = z.object({
  ...visitorFields,
  eventType: z
    .enum(['shared', 'viewed', 'played', 'progress', 'completed'], 'not a type of event')
    .default('shared'),
  channel: z
    .enum(['copy_link', 'native_share', 'email', 'sms', 'social', 'qr', 'embed', 'other'], 'not a channel')
    .optional(),
  positionMs: milliseconds(0).optional(),
  durationMs: milliseconds(1).optional(),
})
