import { parse } from '#contracts/shared/parse.ts'
import { isId } from '#contracts/shared/primitives.ts'
import { LinkEvent, type LinkEventEnvelope } from '#contracts/shared/provider-events.ts'
import { links } from '#contracts/webhooks.ts'
import type { Reader } from '#db/client/connection.ts'
import {
  findPackLinkTarget,
  findTrackLinkTarget,
  insertLinkEvent,
} from '#db/queries/analytics/link-events.ts'
import { defineWebhook } from '../define-webhook.ts'
import type { Ports } from '../ports.ts'

const recordedEvents = [
  'link.clicked',
  'lead.created',
  'sale.created',
  'link.created',
  'link.updated',
  'link.deleted',
]

const findLink = async (db: Reader, { externalId, link }: LinkEvent['data']) => {
  const [kind, id, ...rest] = (link?.externalId ?? externalId ?? '').split(':')
  if (!isId(id) || rest.length > 0) return null
  if (kind === 'track_link') return findTrackLinkTarget(db, id)
  return kind === 'pack_link' ? findPackLinkTarget(db, id) : null
}

// The last label must contain a letter, which excludes IP addresses.
const domain =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9-]{2,63}$/

const parseRefererDomain = (referer: string | undefined): string | null => {
  if (referer === undefined) return null
  const address = /^[a-z][a-z0-9+.-]*:/i.test(referer) ? referer : `https://${referer}`
  const hostname = URL.parse(address)?.hostname.toLowerCase() ?? ''
  return domain.test(hostname) ? hostname : null
}

const toEventColumns = ({ id, event, createdAt, data: { click } }: LinkEvent) => ({
  providerEventId: id,
  eventType: event,
  occurredAt: createdAt,
  country: click?.country ?? null,
  region: click?.region ?? null,
  city: click?.city ?? null,
  continent: click?.continent ?? null,
  device: click?.device ?? null,
  refererDomain: parseRefererDomain(click?.referer),
  qr: click?.qr ?? false,
})

const processEvent = async (payload: LinkEventEnvelope, { db }: Ports) => {
  if (!recordedEvents.includes(payload.event)) return 'ignored' as const
  const event = parse(LinkEvent, payload)
  const link = await findLink(db.read, event.data)
  if (!link) return 'unmapped' as const
  const isNew = await db.tx((tx) => insertLinkEvent(tx, { ...toEventColumns(event), ...link }))
  return isNew ? ('stored' as const) : ('duplicate' as const)
}

export const receiveLinkEvent = defineWebhook(links, async (payload, ports) => ({
  ok: true as const,
  status: await processEvent(payload, ports),
  event: payload.event,
}))
