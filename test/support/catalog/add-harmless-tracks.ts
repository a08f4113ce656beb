import { addPack, addPackLink, addTrackLink, addVisits } from './add-shares.ts'
import { addAsset, addLyrics, addTrack, addVersions, daysAgo } from './add-track.ts'
import { addLane, addTag, addUpload } from './add-track-faults.ts'
import type { CatalogRows } from './catalog-rows.ts'

const addTracksWithoutLyrics = (rows: CatalogRows) => {
  const wordless = (title = 'Wordless') => addTrack(rows, { lyrics: null, title: `${title}` })
  addTag(rows, wordless('Dunes'), { value: 'Instrumental', hidden: false })
  wordless('Night Drive (Instrumental)')
  wordless('Night Drive [Instrumental Version]')
  wordless('Night Drive - Instrumental')
  addLyrics(rows, wordless('Cleared'), { status: 'none', user_edited: true })
  addLyrics(rows, wordless('Transcribing'), { status: 'processing', source: null })
  addLane(rows, wordless('Analysing'), 'lyrics', 'processing')
  addLyrics(rows, wordless('Lines'), { text: '', lines: [{ startMs: 0, endMs: null, text: 'Words' }] })
}

const addTracksInProgress = (rows: CatalogRows) => {
  const uploading = { status: 'pending', expiresDaysAgo: -0.01 }
  addUpload(rows, addTrack(rows, { audio: null }), { kind: 'version', ...uploading })
  // An upload can still be finalized for an hour after it expires.
  const late = { status: 'pending', expiresDaysAgo: 0.02 }
  addUpload(rows, addTrack(rows, { audio: null }), { kind: 'version', ...late })
  addUpload(rows, addTrack(rows, { artwork: null }), { kind: 'artwork', ...uploading })
  addTrack(rows, { artwork: 'processing' })
  addTrack(rows, { audio: 'processing' })
  const replaced = addTrack(rows, { audio: null })
  addVersions(rows, replaced, ['failed', 'ready'])
  for (const status of ['pending', 'processing', 'skipped', 'ready'])
    addLane(rows, addTrack(rows), 'stems', status)
  addUpload(rows, addTrack(rows), { kind: 'version', status: 'failed', expiresDaysAgo: 1 })
  addAsset(rows, addTrack(rows), { kind: 'artwork', status: 'failed' })
}

const addBalancedSheets = (rows: CatalogRows) => {
  addTrack(rows, { sheet: { master: [33.33, 33.33, 33.33] } })
  addTrack(rows, { sheet: { writers: [50, 50.01] } })
  addTrack(rows, { sheet: { master: [16.6667, 16.6667, 66.6666] } })
}

const addSharedTracks = (rows: CatalogRows) => {
  const unshared = (createdDaysAgo = 200) => addTrack(rows, { isShared: false, createdDaysAgo })
  unshared(29)
  addTrack(rows, { isShared: false, audio: 'processing' })
  addTrackLink(rows, unshared(), { revokedDaysAgo: 30 })
  addTrackLink(rows, unshared(), { expiresDaysAgo: 30 })
  // These visits used a link that has since been deleted.
  addVisits(rows, { trackId: unshared(), linkId: 'deleted' }, 1, 90)
  addPackLink(rows, addPack(rows, [unshared()]), { revokedDaysAgo: 5 })
  const packId = addPack(rows, [unshared()])
  rows.add('pack_invitations', {
    id: rows.nextId('invitation'),
    pack_id: packId,
    email: 'press@example.test',
    status: 'delivered',
    created_at: daysAgo(20),
    updated_at: daysAgo(20),
  })
}

/** Adds tracks that resemble those with findings but have none themselves. */
export const addHarmlessTracks = (rows: CatalogRows) => {
  addTracksWithoutLyrics(rows)
  addTracksInProgress(rows)
  addBalancedSheets(rows)
  addSharedTracks(rows)
}
