import { issue } from '#contracts/public.pack-links.download-url.ts'
import { defineRoute } from '../define-route.ts'
import { downloadTrackOfPack } from '../pack-links/issue-media-of-pack.ts'

export const issuePublicPackDownloadUrl = defineRoute(issue, downloadTrackOfPack)
