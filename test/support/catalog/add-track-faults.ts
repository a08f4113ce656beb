import type { Finding } from '#contracts/shared/catalog-findings.ts'
import { addAsset, addLyrics, addTrack, daysAgo, type SheetSpec } from './add-track.ts'
import type { CatalogRows } from './catalog-rows.ts'

export interface Fault {
  readonly kind: Finding['kind']
  readonly subjectId: string
}

export type RecordFault = (kind: Fault['kind'], subjectId: string) => void

export const times = (count: number, add: (index: number) => void) => {
  for (let index = 0; index < count; index++) add(index)
}

export const addUpload = (
  rows: CatalogRows,
  trackId: string,
  upload: { readonly kind: 'version' | 'artwork'; readonly status: string; readonly expiresDaysAgo: number },
) => {
  const id = rows.nextId('upload')
  rows.add('uploads', {
    id,
    track_id: trackId,
    kind: upload.kind,
    status: upload.status,
    file_name: 'file',
    content_type: 'application/octet-stream',
    byte_size: 1024,
    upload_key: `in/${id}`,
    storage_key: `out/${id}`,
    asset_id: `${id}_asset`,
    expires_at: daysAgo(upload.expiresDaysAgo),
    created_at: daysAgo(90),
    updated_at: daysAgo(90),
  })
}

export const addLane = (rows: CatalogRows, trackId: string, lane: string, status: string) =>
  rows.add('processing_lanes', { track_id: trackId, lane, status, updated_at: daysAgo(90) })

export const addTag = (
  rows: CatalogRows,
  trackId: string,
  tag: { readonly value: string; readonly hidden: boolean },
) =>
  rows.add('track_tags', {
    id: rows.nextId('tag'),
    track_id: trackId,
    category: 'vocal',
    label: tag.value,
    source: 'user',
    user_edited: true,
    created_at: daysAgo(90),
    updated_at: daysAgo(90),
    ...tag,
  })

const addMissingIdentifiers = (rows: CatalogRows, record: RecordFault) => {
  times(20, () => record('missing_iswc', addTrack(rows, { iswc: null })))
  times(20, () => record('missing_release_date', addTrack(rows, { releaseDate: null })))
}

const addMissingArtwork = (rows: CatalogRows, record: RecordFault) =>
  times(20, (index) => {
    const trackId = addTrack(rows, { artwork: null })
    if (index < 5) addAsset(rows, trackId, { kind: 'artwork', status: 'failed' })
    else if (index < 10) addUpload(rows, trackId, { kind: 'artwork', status: 'pending', expiresDaysAgo: 1 })
    record('missing_artwork', trackId)
  })

const addMissingLyrics = (rows: CatalogRows, record: RecordFault) =>
  times(20, (index) => {
    const title = index === 0 ? { title: 'Instrumental Love' } : {}
    const trackId = addTrack(rows, { lyrics: null, ...title })
    if (index < 5) addLyrics(rows, trackId, { source: 'ai', status: 'failed' })
    else if (index < 8) addLyrics(rows, trackId, { text: '', source: 'import' })
    else if (index < 12) addTag(rows, trackId, { value: 'instrumental', hidden: true })
    record('missing_lyrics', trackId)
  })

const addMissingAudio = (rows: CatalogRows, record: RecordFault) =>
  times(20, (index) => {
    const trackId = addTrack(rows, { audio: null })
    if (index < 5) addUpload(rows, trackId, { kind: 'version', status: 'pending', expiresDaysAgo: 1 })
    else if (index < 8) addUpload(rows, trackId, { kind: 'version', status: 'failed', expiresDaysAgo: -1 })
    record('no_audio', trackId)
  })

const lanes = ['playback', 'waveform', 'tags', 'stems', 'lyrics', 'embeddings']

const addFailedProcessing = (rows: CatalogRows, record: RecordFault) =>
  times(20, (index) => {
    const trackId = addTrack(rows, { audio: index < 12 ? 'failed' : 'ready' })
    // Tracks from the core may have no lanes.
    const failed = index < 10 ? lanes : lanes.filter((lane) => index >= 12 && lane === 'stems')
    for (const lane of failed) addLane(rows, trackId, lane, 'failed')
    record('processing_failed', trackId)
  })

const addIncompleteSheets = (rows: CatalogRows, record: RecordFault) =>
  times(20, (index) => {
    const sheets: readonly (SheetSpec | null)[] = [null, { address: '' }, { intendedUse: '' }]
    record('split_sheet_incomplete', addTrack(rows, { sheet: sheets[index % 3]! }))
  })

const publisher = {
  collaboratorId: 'publisher',
  percentage: 100,
  writerCollaboratorId: null,
  role: 'original_publisher',
  territory: 'WORLD',
  subPublishers: [],
  collectionSplits: [],
}
const split = { right: 'sync', percentage: 50, territory: 'WORLD' }

const unbalancedSheets: readonly SheetSpec[] = [
  { master: [33.3, 33.3, 33.3] },
  { writers: [50, 50.02] },
  { writers: [] },
  { writers: [50, 50], writerIds: ['same', 'same'] },
  { publishers: [{ ...publisher, percentage: 60 }] },
  { publishers: [{ ...publisher, writerCollaboratorId: 'stranger' }] },
  { publishers: [{ ...publisher, writerCollaboratorId: 'party-0' }] },
  {
    publishers: [
      {
        ...publisher,
        subPublishers: [
          { collaboratorId: 'a', percentage: 60, territories: ['DE'], collectionSplits: [] },
          { collaboratorId: 'b', percentage: 60, territories: ['DE'], collectionSplits: [] },
        ],
      },
    ],
  },
  { publishers: [{ ...publisher, collectionSplits: [split, split] }] },
  { master: [100, 100] },
]

const addUnbalancedSheets = (rows: CatalogRows, record: RecordFault) =>
  times(20, (index) =>
    record(
      'split_sheet_unbalanced',
      addTrack(rows, { sheet: unbalancedSheets[index % unbalancedSheets.length]! }),
    ),
  )

const addUnshared = (rows: CatalogRows, record: RecordFault) =>
  times(20, (index) =>
    record('never_shared', addTrack(rows, { isShared: false, createdDaysAgo: index < 10 ? 30 : 200 })),
  )

export const addTrackFaults = (rows: CatalogRows, record: RecordFault) => {
  addMissingIdentifiers(rows, record)
  addMissingArtwork(rows, record)
  addMissingLyrics(rows, record)
  addMissingAudio(rows, record)
  addFailedProcessing(rows, record)
  addIncompleteSheets(rows, record)
  addUnbalancedSheets(rows, record)
  addUnshared(rows, record)
}
