import type * as z from 'zod'
import { ApiError } from '#contracts/errors.ts'
import type { PackPresentation, presentation } from '#contracts/shared/pack-links.ts'
import { listTracksOfPack } from '#db/queries/packs/pack-tracks.ts'
import { findPackWithOwner } from '#db/queries/packs/packs.ts'
import { mapWithoutBlocking } from '#shared/map-in-slices.ts'
import type { ReadPorts } from '../ports.ts'
import { signArtwork } from '../tracks/sign-media.ts'
import { recordVisit } from '../visits.ts'
import type { SharedPack } from './require-pack-link.ts'

type TrackRow = Awaited<ReturnType<typeof listTracksOfPack>>[number]

const presentTrack = async (
  { artwork, hasAudio, ...track }: TrackRow,
  { disableDownloads }: SharedPack,
  ports: ReadPorts,
) => ({
  ...track,
  artworkUrl: (await signArtwork(artwork, ports))?.url ?? null,
  downloadable: hasAudio && !disableDownloads,
})

export type PackVisit = z.output<(typeof presentation)['query']>

/** Drops the access code from a visit's query, because it must not be recorded. */
export const visitorOf = ({ accessCode: _, ...visitor }: PackVisit) => visitor

interface PresentationInput {
  readonly link: SharedPack
  readonly query: PackVisit
}

/** Returns the pack as its link's visitors see it. Packs have no artwork. */
export const presentPack = async (
  { link, query }: PresentationInput,
  ports: ReadPorts,
): Promise<PackPresentation> => {
  const { slug, name, expiresAt, disableDownloads, accessCodeHash, packId } = link
  const [pack, tracks] = await Promise.all([
    findPackWithOwner(ports.db.read, packId),
    listTracksOfPack(ports.db.read, packId),
  ])
  if (!pack) throw new ApiError('pack_link_not_found')
  const signing = await mapWithoutBlocking(tracks, (track) => presentTrack(track, link, ports))
  const presented = await Promise.all(signing)
  await recordVisit(ports, link, { type: 'pack.viewed', ...visitorOf(query) })
  return {
    link: {
      slug,
      name,
      expiresAt,
      downloadsEnabled: !disableDownloads,
      requiresAccessCode: accessCodeHash !== null,
    },
    pack: {
      ...pack,
      artworkUrl: null,
      trackCount: tracks.length,
      totalDurationMs: tracks.reduce((total, { durationMs }) => total + (durationMs ?? 0), 0),
    },
    tracks: presented,
  }
}
