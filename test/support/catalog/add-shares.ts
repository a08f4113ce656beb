import { daysAgo } from './add-track.ts'
import type { CatalogRows } from './catalog-rows.ts'

export interface LinkSpec {
  readonly name?: string | null
  /** How many days before the catalogue's time the link expires; null for never. */
  readonly expiresDaysAgo?: number | null
  readonly revokedDaysAgo?: number | null
  readonly createdDaysAgo?: number
  /** How many days before the catalogue's time the token was last replaced. */
  readonly issuedDaysAgo?: number
}

const linkColumns = (rows: CatalogRows, spec: LinkSpec) => {
  const { expiresDaysAgo = null, revokedDaysAgo = null, createdDaysAgo = 60 } = spec
  return {
    id: rows.nextId('link'),
    name: spec.name === undefined ? 'Reviewers' : spec.name,
    expires_at: expiresDaysAgo === null ? null : daysAgo(expiresDaysAgo),
    revoked_at: revokedDaysAgo === null ? null : daysAgo(revokedDaysAgo),
    created_at: daysAgo(createdDaysAgo),
    updated_at: daysAgo(spec.issuedDaysAgo ?? createdDaysAgo),
  }
}

export const addTrackLink = (
  rows: CatalogRows,
  trackId: string,
  spec: LinkSpec = {},
  table: 'track_share_links' | 'split_sheet_links' = 'track_share_links',
) => {
  const columns = linkColumns(rows, spec)
  const number = Number(columns.id.split('_').at(-1))
  // Only a token's hash is stored, in hexadecimal.
  const tokenHash = `${Buffer.from(rows.prefix).toString('hex')}${String(number)}`.padStart(64, '0')
  rows.add(table, { ...columns, track_id: trackId, token_hash: tokenHash, token_preview: 'abcd' })
  return columns.id
}

export const addPack = (rows: CatalogRows, trackIds: readonly string[], name = 'Harbour EP') => {
  const id = rows.nextId('pack')
  rows.add('packs', {
    id,
    owner_id: `${rows.prefix}_owner`,
    name,
    created_at: daysAgo(90),
    updated_at: daysAgo(90),
  })
  for (const [position, trackId] of trackIds.entries())
    rows.add('pack_tracks', { pack_id: id, track_id: trackId, position, added_at: daysAgo(90) })
  return id
}

export const addPackLink = (rows: CatalogRows, packId: string, spec: LinkSpec = {}) => {
  const columns = linkColumns(rows, spec)
  const slug = columns.id.replaceAll('_', '-').toLowerCase()
  rows.add('pack_links', { ...columns, pack_id: packId, slug, disable_downloads: false })
  return columns.id
}

interface Visit {
  readonly trackId?: string
  readonly packId?: string
  readonly linkId?: string
  readonly type?: 'played' | 'viewed'
}

export const addVisits = (
  rows: CatalogRows,
  { trackId, packId, linkId, type = 'played' }: Visit,
  count: number,
  day: number,
) => {
  for (let visit = 0; visit < count; visit++)
    rows.add('engagement_events', {
      id: rows.nextId('event'),
      owner_id: `${rows.prefix}_owner`,
      type: trackId === undefined ? `pack.${type}` : `track.${type}`,
      occurred_at: daysAgo(day),
      pack_id: packId ?? null,
      track_id: trackId ?? null,
      link_kind: packId === undefined ? 'track' : 'pack',
      link_id: linkId ?? null,
      session_id: null,
    })
}
