import type { TextsOf } from './operation-text.ts'

export const analyticsTexts: TextsOf<'analytics'> = {
  'analytics.overview': {
    summary: 'Read the engagement of an account',
    description:
      'Returns totals, and counts for each day, of everything that the account shares. The default range is the last 30 days.',
    success: 'The report.',
  },
  'analytics.packs.detail': {
    summary: 'Read the engagement of a pack',
    description: 'Returns totals and counts by link, source, country and day for the links of a pack.',
    success: 'The report.',
  },
  'analytics.tracks.detail': {
    summary: 'Read the engagement of a track',
    description: 'Returns totals and counts by link, source, country and day for the links of a track.',
    success: 'The report.',
  },
  'analytics.events.list': {
    summary: 'List engagement events',
    description: 'Returns what visitors did, the newest first. No event identifies its visitor.',
    success: 'One page of the events.',
  },
}
