import { exampleIds } from './example-ids.ts'

export interface ParameterText {
  readonly description: string
  readonly example?: string | number
}

export const pathParameterTexts: Readonly<Record<string, ParameterText>> = {
  trackId: { description: 'The id of a track.', example: exampleIds.track },
  versionId: { description: 'The id of a version of the track.', example: exampleIds.version },
  uploadId: { description: 'The id of an upload of the track.', example: exampleIds.upload },
  linkId: { description: 'The id of a share link.', example: exampleIds.link },
  libraryId: { description: 'The id of a library.', example: exampleIds.library },
  shareId: { description: 'The id of a library share.', example: exampleIds.share },
  packId: { description: 'The id of a pack.', example: exampleIds.pack },
  threadId: { description: 'The id of a question-and-answer thread.', example: exampleIds.thread },
  slug: { description: 'The slug of a pack link, the last part of its address.', example: exampleIds.slug },
  token: {
    description: 'The token of a share link, the last part of its address. Keep it secret.',
    example: exampleIds.token,
  },
}

export const keyText: ParameterText = {
  description:
    'Use a new value for each action, and the same value when you retry the action within 24 hours. A request that was already applied is not applied again: you get its response once more.',
  example: '3b2f6c1e-5f0a-4a51-9d6f-0c7f4a7f9d11',
}

export const queryParameterTexts: Readonly<Record<string, ParameterText>> = {
  limit: { description: 'The maximum number of records in the response.', example: 20 },
  cursor: {
    description: 'The `nextCursor` of the previous page. Leave it out to get the first page.',
  },
  includeHidden: { description: 'Whether to include hidden tags.', example: 'true' },
  assetId: {
    description: "The id of the file to download. Defaults to the current version's original.",
    example: exampleIds.asset,
  },
  format: {
    description:
      'Adds fields with the names that audiowaveform uses, so its libraries can load the response unchanged.',
    example: 'audiowaveform',
  },
  bits: { description: 'With `format`, the resolution of the peaks. Defaults to 8.', example: '8' },
  inviteStatus: { description: 'Which invitations to return.', example: 'pending' },
  from: {
    description: 'The first day of the report. By default, the report covers 30 days.',
    example: '2026-10-01',
  },
  to: {
    description: 'The last day of the report. Defaults to today. A report covers at most 366 days.',
    example: '2026-10-31',
  },
  accessCode: {
    description: 'The access code of the pack link, if its owner has set one.',
    example: 'harbour-2026',
  },
  visitorId: {
    description: "Your page's id for the visitor. Longer values are truncated to 120 characters.",
    example: 'visitor-7',
  },
  sessionId: {
    description:
      'An id for the visit, used to count unique visitors. Longer values are truncated to 120 characters.',
    example: 'session-19',
  },
  source: {
    description: 'Where the visitor came from. Longer values are truncated to 120 characters.',
    example: 'newsletter',
  },
}
