import * as z from 'zod'
import { Id, Str, TimestampInput, TruncatedText } from './primitives.ts'

const EventId = Str(255)
const EventType = Str(100)

// An event's other fields depend on its type. Providers may add types, so an event of an unknown type is ignored
// without validating its other fields.

export const BillingEventEnvelope = z.looseObject({ id: EventId, type: EventType, created: z.int().min(0) })
export type BillingEventEnvelope = z.output<typeof BillingEventEnvelope>

/** The last second of the year 9999, in Unix time. */
export const lastSecond = 253_402_300_799

/** What is stored about an ignored billing event. A thin event gives the time as text, other events as Unix time. */
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

export const LinkEventEnvelope = z.looseObject({ event: EventType })
export type LinkEventEnvelope = z.output<typeof LinkEventEnvelope>

export const EmailEventEnvelope = z.looseObject({ type: EventType })

// A click is recorded even if one of its details is malformed.
const Detail = TruncatedText(255).optional().catch(undefined)

const LinkReference = z.object({ externalId: Detail }).nullish()

/** Parsing removes IP addresses, user agents, customers, and the click's destination, which ends with a share token. */
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

export const referenceTag = 'reference'

// A provider may return the tags as the list that we sent, or as an object.
const Tags = z
  .union([
    z.array(z.object({ name: z.string(), value: z.string() })),
    z
      .object({ [referenceTag]: z.string() })
      .transform(({ reference }) => [{ name: referenceTag, value: reference }]),
  ])
  .transform((tags) => tags.find(({ name }) => name === referenceTag)?.value)
  .pipe(Id.optional())

/** Parsing removes the recipient, their IP address and user agent, and reduces the tags to the reference. */
export const EmailEvent = z.object({
  type: EventType,
  created_at: TimestampInput,
  // An event is processed even if its tags are malformed, because other senders may set tags too.
  data: z.object({ email_id: Str(255), tags: Tags.optional().catch(undefined) }),
})
export type EmailEvent = z.output<typeof EmailEvent>
