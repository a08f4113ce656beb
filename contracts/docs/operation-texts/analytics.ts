import type { TextsOf } from './operation-text.ts'

export const analyticsTexts: TextsOf<'analytics'> = {
  'analytics.overview': {
    summary: 'Read your engagement',
    description:
      'Returns totals and daily counts for everything the account shares, by default for the last 30 days.',
    success: 'The report.',
  },
  'analytics.packs.detail': {
    summary: "Read a pack's engagement",
    description: "Returns totals and counts by link, source, country and day for a pack's links.",
    success: 'The report.',
  },
  'analytics.tracks.detail': {
    summary: "Read a track's engagement",
    description: "Returns totals and counts by link, source, country and day for a track's links.",
    success: 'The report.',
  },
  'analytics.events.list': {
    summary: 'List engagement events',
    description: 'Returns what visitors did, newest first. No event identifies its visitor.',
    success: 'One page of events.',
  },
}
