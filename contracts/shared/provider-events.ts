import * as z from 'zod'
import { Str, TimestampInput, TruncatedText } from './primitives.ts'

const EventId = Str(255)
const EventType = Str(100)

// What else stands in an event depends on its type: a provider may add types, and those that nobody here handles are
// ignored whatever they hold.

/** The envelope of a billing event. */
export const BillingEvent = z.looseObject({ id: EventId, type: EventType, created: z.int().min(0) })
export type BillingEvent = z.output<typeof BillingEvent>

/** The envelope of a link-tracking event. */
export const AnyLinkEvent = z.looseObject({ event: EventType })
export type AnyLinkEvent = z.output<typeof AnyLinkEvent>

/** The envelope of an e-mail event. */
export const AnyEmailEvent = z.looseObject({ type: EventType })

// A click is worth keeping without a detail that came in another shape than usual.
const Detail = TruncatedText(255).optional().catch(undefined)

const LinkReference = z.object({ externalId: Detail }).nullish()

/**
 * A link-tracking event, reduced as it is read to what may be kept of it. Addresses, user agents and customers
 * are dropped here, and with them the click's destination, which ends with a share token.
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

/** An e-mail's fate. Who opened it, from where and with what, is not read. */
export const EmailEvent = z.object({
  type: EventType,
  created_at: TimestampInput,
  data: z.object({ email_id: Str(255) }),
})
export type EmailEvent = z.output<typeof EmailEvent>
