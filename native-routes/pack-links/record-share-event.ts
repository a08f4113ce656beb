import type * as z from 'zod'
import type { shareEvent } from '#contracts/shared/pack-links.ts'
import type { Ports } from '../ports.ts'
import { recordVisit } from '../visits.ts'
import { requireTrackOfPack, type SharedPack } from './require-pack-link.ts'

interface ShareEventInput {
  readonly link: SharedPack
  readonly body: z.output<(typeof shareEvent)['body']>
}

export const recordShareEvent = async ({ link, body }: ShareEventInput, ports: Ports) => {
  const { eventType, trackId, ...event } = body
  if (trackId !== undefined) await requireTrackOfPack(ports.db.read, link, trackId)
  const type = trackId === undefined ? (`pack.${eventType}` as const) : (`track.${eventType}` as const)
  await recordVisit(ports, link, { type, trackId, ...event })
  return { ok: true as const }
}
