import { list } from '#contracts/tracks.versions.ts'
import { defineRoute } from '../define-route.ts'
import { versionsOf } from './versions-of.ts'

export const listVersions = defineRoute(list, ({ track }, { db }) => versionsOf(db.read, track))
