import { list } from '#contracts/tracks.versions.ts'
import { defineRoute } from '../define-route.ts'
import { presentVersions } from './present-versions.ts'

export const listVersions = defineRoute(list, ({ track }, { db }) => presentVersions(db.read, track))
