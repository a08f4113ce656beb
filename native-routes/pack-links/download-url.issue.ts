import { issue } from '#contracts/pack-links.download-url.ts'
import { defineRoute } from '../define-route.ts'
import { issuePackTrackDownloadUrl } from './issue-track-urls.ts'

export const issuePackDownloadUrl = defineRoute(issue, issuePackTrackDownloadUrl)
