import { list } from '#contracts/tracks.versions.ts'
import { defineRoute } from '../define-route.ts'
import { listRecords, positionByCreation, selectRange } from '../paging.ts'
import { readVersions } from './read-versions.ts'

export const listVersions = defineRoute(list, async ({ track, query }, { db }) => {
  const all = await readVersions(db.read, track)
  const { records: versions, ...page } = await listRecords(
    query,
    async (range) => selectRange(all.versions, range),
    positionByCreation,
  )
  return { ...all, versions, ...page }
})
