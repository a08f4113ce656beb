import type { NewEngagementEvent, Ports } from './ports.ts'

/** Who asks for something shared, as far as it matters. */
export interface Visit {
  /** Stands for the address of the client, or for the network where one client has a whole one. */
  client(): string
  /** The code that a gated link asks for. */
  accessCode(): string | undefined
}

/** A link in front of a visitor. */
export interface VisitedLink {
  readonly linkKind: 'track' | 'pack'
  readonly linkId: string
  readonly ownerId: string
  readonly packId?: string
  /** Owners who look at their own page are no visitors. */
  readonly isOwnersVisit: boolean
}

type LinkFields = 'ownerId' | 'packId' | 'linkKind' | 'linkId'

/** Records what a visitor did. */
export const recordVisit = async (
  { events }: Pick<Ports, 'events'>,
  { linkKind, linkId, ownerId, packId, isOwnersVisit }: VisitedLink,
  event: Omit<NewEngagementEvent, LinkFields>,
) => {
  if (!isOwnersVisit) await events.record({ ...event, ownerId, packId, linkKind, linkId })
}
