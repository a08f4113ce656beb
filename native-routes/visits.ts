import type { NewEngagementEvent, Ports } from './ports.ts'

export interface Visit {
  /** The client's IPv4 address, or the /64 network of its IPv6 address. */
  client(): string
  accessCode(): string | undefined
}

export interface VisitedLink {
  readonly linkKind: 'track' | 'pack'
  readonly linkId: string
  readonly ownerId: string
  readonly packId?: string
  /** Whether the visitor is the owner, whose visits are not recorded. */
  readonly isOwner: boolean
}

type LinkFields = 'ownerId' | 'packId' | 'linkKind' | 'linkId'

export const recordVisit = async (
  { events }: Pick<Ports, 'events'>,
  { linkKind, linkId, ownerId, packId, isOwner: isOwnersVisit }: VisitedLink,
  event: Omit<NewEngagementEvent, LinkFields>,
) => {
  if (!isOwnersVisit) await events.record({ ...event, ownerId, packId, linkKind, linkId })
}
