import { addTrack } from './add-track.ts'
import { type RecordFault, times } from './add-track-faults.ts'
import type { CatalogRows } from './catalog-rows.ts'

/** Adds 10 pairs with the same ISRC, and 10 with the same ISWC and equivalent titles, where one track has no ISRC. */
export const addDuplicates = (rows: CatalogRows, record: RecordFault) => {
  times(10, (index) => {
    const isrc = `QZDUP26${String(index).padStart(5, '0')}`
    addTrack(rows, { isrc, title: `First ${index}`, createdDaysAgo: 200 })
    record('possible_duplicate', addTrack(rows, { isrc, title: `Second ${index}`, createdDaysAgo: 100 }))
  })
  times(10, (index) => {
    const iswc = `T10000${String(index).padStart(5, '0')}`
    addTrack(rows, { iswc, title: `Tide (feat. Ana) ${index}`, artist: 'Ólöf', createdDaysAgo: 200 })
    const copy = addTrack(rows, {
      isrc: null,
      iswc,
      title: `TIDE feat. Ana - ${index}`,
      artist: 'ólöf',
      durationMs: 180_000 + (index % 2 === 0 ? 1000 : -1000),
      createdDaysAgo: 100,
    })
    record('possible_duplicate', copy)
    record('missing_isrc', copy)
  })
}

/** Adds pairs of different recordings that resemble each other. */
export const addRelatedRecordings = (rows: CatalogRows) => {
  const tide = { title: 'Low Tide', artist: 'The Herons' }
  addTrack(rows, tide)
  addTrack(rows, { ...tide, title: 'Low Tide (Remix)' })
  addTrack(rows, { ...tide, title: 'Low Tide (Live)', durationMs: 181_000 })
  addTrack(rows, { ...tide, artist: 'The Egrets' })
  // A clean and an explicit version differ only in their ISRC; a radio edit also differs in its length.
  addTrack(rows, tide)
  addTrack(rows, { ...tide, durationMs: 240_000 })
  // Names without letters are told apart by their symbols, and letters of any script are compared.
  for (const title of ['???', '!!!', '波', '海']) addTrack(rows, { title, artist: 'The Herons' })
}

/** Adds tracks without an ISRC that resemble another track in all but one respect. */
export const addUncodedRelatives = (rows: CatalogRows, record: RecordFault) => {
  addTrack(rows, { title: 'High Tide', artist: 'The Terns', iswc: 'T2000000001' })
  const relatives = [
    { title: 'High Tide', artist: 'The Terns', iswc: 'T2000000002' },
    { title: 'High Tide', artist: 'The Terns', iswc: 'T2000000001', durationMs: 182_000 },
    { title: 'High Tide', artist: 'The Gulls', iswc: 'T2000000001' },
    { title: 'High Tide (Remix)', artist: 'The Terns', iswc: 'T2000000001' },
    { title: 'High Tides', artist: 'The Terns', iswc: 'T2000000001' },
    { title: '???', artist: 'The Terns', iswc: 'T2000000001' },
    { title: '!!!', artist: 'The Terns', iswc: 'T2000000001' },
    { title: '波', artist: 'The Terns', iswc: 'T2000000001' },
    { title: '海', artist: 'The Terns', iswc: 'T2000000001' },
    { title: '海', artist: '波', iswc: 'T2000000001' },
  ]
  for (const relative of relatives) record('missing_isrc', addTrack(rows, { isrc: null, ...relative }))
}
