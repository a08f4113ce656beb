import type { CatalogRows } from './catalog-rows.ts'

/** The current time in the catalogue. All dates in the catalogue are relative to it. */
export const catalogNow = new Date('2026-06-15T12:00:00.000Z')

const dayMs = 86_400_000

/** Returns the time this many days before the catalogue's time; a negative number gives a later time. */
export const daysAgo = (days: number) => new Date(catalogNow.valueOf() - days * dayMs).toISOString()

type Status = 'processing' | 'ready' | 'failed'

export interface TrackSpec {
  readonly title?: string
  readonly artist?: string
  readonly isrc?: string | null
  readonly iswc?: string | null
  readonly releaseDate?: string | null
  readonly durationMs?: number
  readonly createdDaysAgo?: number
  /** The status of the current version; null for a track without audio. */
  readonly audio?: Status | null
  readonly artwork?: Status | null
  /** The text of the lyrics; null for a track without any. */
  readonly lyrics?: string | null
  readonly sheet?: SheetSpec | null
  readonly isShared?: boolean
}

export interface SheetSpec {
  readonly address?: string
  readonly intendedUse?: string
  readonly master?: readonly number[]
  readonly writers?: readonly number[]
  readonly writerIds?: readonly string[]
  readonly publishers?: readonly object[]
}

const entries = (percentages: readonly number[], ids: readonly string[] = []) =>
  percentages.map((percentage, index) => ({ collaboratorId: ids[index] ?? `party-${index}`, percentage }))

const addSheet = (rows: CatalogRows, trackId: string, sheet: SheetSpec) =>
  rows.add('split_sheets', {
    track_id: trackId,
    address: sheet.address ?? '1 Harbour Road',
    intended_use: sheet.intendedUse ?? 'Release',
    master: entries(sheet.master ?? [100]),
    writers: entries(sheet.writers ?? [50, 50], sheet.writerIds),
    publishers: sheet.publishers ?? [],
    validated_at: daysAgo(90),
    created_at: daysAgo(90),
    updated_at: daysAgo(90),
  })

export const addAsset = (
  rows: CatalogRows,
  trackId: string,
  asset: { readonly kind: 'original' | 'artwork'; readonly status: Status; readonly versionId?: string },
) => {
  const id = rows.nextId('asset')
  rows.add('media_assets', {
    id,
    track_id: trackId,
    version_id: asset.versionId ?? null,
    kind: asset.kind,
    status: asset.status,
    file_name: 'file',
    content_type: 'application/octet-stream',
    byte_size: 1024,
    storage_key: id,
    is_primary: asset.kind === 'artwork' && asset.status === 'ready',
    created_at: daysAgo(90),
    updated_at: daysAgo(90),
  })
}

/** Adds a track's versions in order; the last one is current. */
export const addVersions = (rows: CatalogRows, trackId: string, statuses: readonly Status[]) => {
  for (const [index, status] of statuses.entries()) {
    const id = rows.nextId('version')
    rows.add('track_versions', {
      id,
      track_id: trackId,
      version_number: index + 1,
      status,
      created_at: daysAgo(90),
      updated_at: daysAgo(90),
    })
    addAsset(rows, trackId, { kind: 'original', status, versionId: id })
    if (index === statuses.length - 1) rows.setCurrentVersion(trackId, id, index + 1)
  }
}

export const addLyrics = (rows: CatalogRows, trackId: string, lyrics: Readonly<Record<string, unknown>>) =>
  rows.add('track_lyrics', {
    track_id: trackId,
    text: null,
    lines: [],
    source: 'user',
    status: 'ready',
    user_edited: false,
    created_at: daysAgo(90),
    updated_at: daysAgo(90),
    ...lyrics,
  })

/** Each catalogue's last track number. A track's codes and title derive from its number. */
const numbers = new WeakMap<CatalogRows, number>()

/** Adds a complete track without findings, except where `spec` says otherwise; returns its id. */
export const addTrack = (rows: CatalogRows, spec: TrackSpec = {}) => {
  const number = (numbers.get(rows) ?? 0) + 1
  numbers.set(rows, number)
  const padded = String(number).padStart(5, '0')
  const id = `${rows.prefix}_track_${padded}`
  const { isrc = `QZABC26${padded}`, iswc = `T00000${padded}`, audio = 'ready', artwork = 'ready' } = spec
  const { releaseDate = '2026-03-01', lyrics = 'Words', sheet = {}, isShared = true } = spec
  rows.add('tracks', {
    id,
    owner_id: `${rows.prefix}_owner`,
    title: spec.title ?? `Song ${number}`,
    artist: spec.artist ?? 'The Owls',
    isrc,
    isrc_compact: isrc,
    iswc,
    iswc_compact: iswc,
    release_date: releaseDate,
    duration_ms: audio === 'ready' ? (spec.durationMs ?? 180_000) : null,
    last_version_number: 0,
    processing_state: audio ?? 'pending',
    created_at: daysAgo(spec.createdDaysAgo ?? 200),
    updated_at: daysAgo(90),
  })
  if (audio) addVersions(rows, id, [audio])
  if (artwork) addAsset(rows, id, { kind: 'artwork', status: artwork })
  if (lyrics !== null) addLyrics(rows, id, { text: lyrics })
  if (sheet) addSheet(rows, id, sheet)
  if (isShared)
    rows.add('library_tracks', {
      library_id: `${rows.prefix}_library`,
      track_id: id,
      position: number,
      added_at: daysAgo(90),
    })
  return id
}
