import * as z from 'zod'
import { Id, Str, TimestampInput, TruncatedText } from './primitives.ts'

const EventId = Str(255)
const EventType = Str(100)

// The other fields of an event depend on its type. A provider may add types; events of an unknown type are ignored
// without validation of their other fields.

/** The envelope of a billing event. */
export const BillingEventEnvelope = z.looseObject({ id: EventId, type: EventType, created: z.int().min(0) })
export type BillingEventEnvelope = z.output<typeof BillingEventEnvelope>

/** The last second of the year 9999, since 1970. */
export const lastSecond = 253_402_300_799

/** What is stored of a billing event that is ignored. A thin event has its time as text. */
export const IgnoredBillingEvent = z.object({
  id: EventId,
  type: EventType,
  created: z.union([
    z
      .int()
      .min(0)
      .max(lastSecond)
      .transform((seconds) => new Date(seconds * 1000).toISOString()),
    TimestampInput,
  ]),
})

/** The envelope of a link-tracking event. */
export const LinkEventEnvelope = z.looseObject({ event: EventType })
export type LinkEventEnvelope = z.output<typeof LinkEventEnvelope>

/** The envelope of an e-mail event. */
export const EmailEventEnvelope = z.looseObject({ type: EventType })

// A click is recorded even if one of its details has an unexpected shape.
const Detail = TruncatedText(255).optional().catch(undefined)

const LinkReference = z.object({ externalId: Detail }).nullish()

/**
 * A link-tracking event, reduced to the fields that may be stored. Parsing removes IP addresses, user agents and
 * customers, and the destination of the click, which ends with a share token.
 */
export const LinkEvent = z.object({
  id: EventId,
  event: EventType,
  createdAt: TimestampInput,
  data: z.object({
    externalId: Detail,
    link: LinkReference,
    click: z
      .object({
        country: Detail,
        region: Detail,
        city: Detail,
        continent: Detail,
        device: Detail,
        referer: Detail,
        qr: z.boolean().catch(false),
      })
      .nullish(),
  }),
})
export type LinkEvent = z.output<typeof LinkEvent>

/** The tag of an e-mail that refers to what it was sent for. */
export const referenceTag = 'reference'

// Providers send tags as they received them, or as an object.
const Tags = z
  .union([
    z.array(z.object({ name: z.string(), value: z.string() })),
    z
      .object({ [referenceTag]: z.string() })
      .transform(({ reference }) => [{ name: referenceTag, value: reference }]),
  ])
  .transform((tags) => tags.find(({ name }) => name === referenceTag)?.value)
  .pipe(Id.optional())

/**
 * An e-mail delivery event. Parsing removes the recipient, their IP address and their user agent, and reduces the tags to
 * the reference.
 */
export const EmailEvent = z.object({
  type: EventType,
  created_at: TimestampInput,
  // An event is processed even if its tags, which others may set, have an unexpected shape.
  data: z.object({ email_id: Str(255), tags: Tags.optional().catch(undefined) }),
})
export type EmailEvent = z.output<typeof EmailEvent>
