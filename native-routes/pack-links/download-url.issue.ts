import { issue } from '#contracts/pack-links.download-url.ts'
import { defineRoute } from '../define-route.ts'
import { downloadTrackOfPack } from './issue-media-of-pack.ts'

export const issuePackDownloadUrl = defineRoute(issue, downloadTrackOfPack)
