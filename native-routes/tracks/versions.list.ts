import { list } from '#contracts/tracks.versions.ts'
import { defineRoute } from '../define-route.ts'
import { readVersions } from './read-versions.ts'

export const listVersions = defineRoute(list, ({ track }, { db }) => readVersions(db.read, track))
