import { detail } from '#contracts/tracks.ts'
import { defineRoute } from '../define-route.ts'

export const showTrack = defineRoute(detail, async ({ track }) => track)
