import type { NewEngagementEvent, Ports } from './ports.ts'

/** A visit to something shared. */
export interface Visit {
  /** The client's IPv4 address, or the /64 network of its IPv6 address. */
  client(): string
  /** The access code that the visitor sent. */
  accessCode(): string | undefined
}

/** A link that is visited. */
export interface VisitedLink {
  readonly linkKind: 'track' | 'pack'
  readonly linkId: string
  readonly ownerId: string
  readonly packId?: string
  /** Whether the owner visits; nothing is recorded then. */
  readonly isOwner: boolean
}

type LinkFields = 'ownerId' | 'packId' | 'linkKind' | 'linkId'

/** Records an engagement event of a visitor. */
export const recordVisit = async (
  { events }: Pick<Ports, 'events'>,
  { linkKind, linkId, ownerId, packId, isOwner: isOwnersVisit }: VisitedLink,
  event: Omit<NewEngagementEvent, LinkFields>,
) => {
  if (!isOwnersVisit) await events.record({ ...event, ownerId, packId, linkKind, linkId })
}
