import type postgres from 'postgres'
import { addDuplicates, addRelatedRecordings, addUncodedRelatives } from './add-duplicates.ts'
import { addHarmlessTracks } from './add-harmless-tracks.ts'
import { addHarmlessShares, addShareFaults } from './add-share-faults.ts'
import { addTrack, daysAgo } from './add-track.ts'
import { addTrackFaults, type Fault } from './add-track-faults.ts'
import { CatalogRows } from './catalog-rows.ts'

const trackCount = 2000

export interface SeededCatalog {
  readonly accountId: string
  /** Exactly the findings that an analysis must report: 20 of each kind. */
  readonly faults: readonly Fault[]
  readonly libraryId: string
}

const addLibrary = (rows: CatalogRows) => {
  const id = `${rows.prefix}_library`
  const times = { created_at: daysAgo(90), updated_at: daysAgo(90) }
  rows.add('libraries', { id, owner_id: `${rows.prefix}_owner`, name: 'All', name_key: 'all', ...times })
  rows.add('library_shares', {
    id: `${rows.prefix}_share`,
    library_id: id,
    email: `${rows.prefix}-guest@example.test`,
    access_type: 'viewer',
    invite_status: 'pending',
    ...times,
  })
  return id
}

/**
 * Inserts the same catalogue of 2,000 tracks in each run, as of `catalogNow`: tracks and links with 300 faults, others
 * that resemble them, and the rest with nothing to find. The ids begin with the prefix; everything else is the same for
 * every prefix.
 */
export const seedCatalog = async (sql: postgres.Sql, prefix: string): Promise<SeededCatalog> => {
  const rows = new CatalogRows(prefix)
  const faults: Fault[] = []
  const record = (kind: Fault['kind'], subjectId: string) => faults.push({ kind, subjectId })
  const libraryId = addLibrary(rows)
  addTrackFaults(rows, record)
  addDuplicates(rows, record)
  addUncodedRelatives(rows, record)
  addShareFaults(rows, record)
  addHarmlessTracks(rows)
  addRelatedRecordings(rows)
  addHarmlessShares(rows)
  while (rows.count('tracks') < trackCount) addTrack(rows)
  await rows.insert(sql)
  return { accountId: `${prefix}_owner`, faults, libraryId }
}
