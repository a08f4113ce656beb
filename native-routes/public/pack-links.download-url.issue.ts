import { issue } from '#contracts/public.pack-links.download-url.ts'
import { defineRoute } from '../define-route.ts'
import { issuePackTrackDownloadUrl } from '../pack-links/issue-track-urls.ts'

export const issuePublicPackDownloadUrl = defineRoute(issue, issuePackTrackDownloadUrl)
