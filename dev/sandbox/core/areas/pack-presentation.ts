import { CoreError } from '../core-error.ts'
import type { Queryable } from '../database.ts'
import type { MediaLimits } from '../media-limits.ts'
import type { ObjectStorage } from '../object-storage.ts'
import { type Artwork, signArtwork } from './media-urls.ts'
import type { SharedPack } from './shared-pack.ts'

interface PackRow {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly ownerDisplayName: string | null
  readonly createdAt: Date
}

interface TrackRow extends Artwork {
  readonly id: string
  readonly position: number
  readonly title: string
  readonly artist: string | null
  readonly releaseDate: string | null
  readonly durationMs: number | null
  readonly playable: boolean
}

interface PresentationDependencies {
  readonly sql: Queryable
  readonly storage: ObjectStorage
  readonly limits: MediaLimits
}

const listTracks = (sql: Queryable, packId: string) => sql<TrackRow[]>`
  select tracks.id, position, tracks.title, artist, tracks.duration_ms, release_date::text as release_date,
    artwork.storage_key as artwork_key, artwork.content_type as artwork_type,
    coalesce(versions.status = 'ready', false) as playable
  from pack_tracks join tracks on tracks.id = pack_tracks.track_id
    left join media_assets artwork on artwork.track_id = tracks.id and artwork.is_primary
    left join track_versions versions on versions.id = current_version_id
  where pack_id = ${packId} order by position, added_at, tracks.id`

/** Returns the body of `pack-links.presentation`: a pack as visitors of a link see it. */
export const getPackPresentation = async (
  { sql, storage, limits }: PresentationDependencies,
  link: SharedPack,
) => {
  const [pack] = await sql<PackRow[]>`
    select packs.id, name, description, display_name as owner_display_name, packs.created_at
    from packs left join accounts on accounts.id = owner_id where packs.id = ${link.packId}`
  if (!pack) throw new CoreError('pack_link_not_found')
  const tracks = await listTracks(sql, link.packId)
  const downloadsEnabled = !link.disableDownloads
  return {
    link: {
      slug: link.slug,
      name: link.linkName,
      expiresAt: link.expiresAt,
      downloadsEnabled,
      requiresAccessCode: link.accessCodeHash !== null,
    },
    pack: {
      ...pack,
      // Packs have no artwork.
      artworkUrl: null,
      trackCount: tracks.length,
      totalDurationMs: tracks.reduce((total, track) => total + (track.durationMs ?? 0), 0),
    },
    tracks: await Promise.all(
      tracks.map(async ({ artworkKey, artworkType, playable, ...track }) => ({
        ...track,
        artworkUrl: (await signArtwork({ storage, limits }, { artworkKey, artworkType })).artworkUrl,
        downloadable: playable && downloadsEnabled,
      })),
    ),
  }
}
