import * as z from 'zod'

const defaultSource = 'pack_link'

const sanitizeLabel = (text: string) => {
  const printable = Array.from(text.toWellFormed()).filter((char) => char >= ' ')
  return Array.from(printable.join('').trim()).slice(0, 120).join('') || undefined
}

/** Text from a visitor. It is truncated to 120 characters and stripped of control characters, not rejected. */
const label = z.string('expected a string').transform(sanitizeLabel).optional()

const visitorFields = {
  visitorId: label,
  sessionId: label,
  source: label.transform((source) => source ?? defaultSource),
}

const takeFirst = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
const inQuery = <T extends z.ZodType>(schema: T) => z.preprocess(takeFirst, schema)

export const VisitorQuery = z.object({
  visitorId: inQuery(label),
  sessionId: inQuery(label),
  source: inQuery(visitorFields.source),
})

/** An empty value counts as missing. */
export const AccessCodeQuery = z.object({
  accessCode: inQuery(z.string().optional()).transform((code) => code || undefined),
})

const maxInt32 = 2 ** 31 - 1

/** Larger values are clamped to the database column's maximum. */
const milliseconds = (min: number) =>
  z
    .int('expected a whole number')
    .min(min, `expected ${min} or more`)
    .transform((ms) => Math.min(ms, maxInt32))

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
