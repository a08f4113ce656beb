import { exampleIds, exampleTime } from '../example-ids.ts'

const counts = { views: 42, plays: 31, downloads: 4, shares: 2, clicks: 57 }
const { clicks: _clicks, ...countsOfSource } = counts
const countsWithVisitors = { ...counts, uniqueVisitors: 19 }

const report = {
  totals: countsWithVisitors,
  byLink: [{ ...countsWithVisitors, linkId: exampleIds.link, name: 'For the radio' }],
  bySource: [{ ...countsOfSource, source: 'newsletter' }],
  byCountry: [{ country: 'DE', clicks: 57 }],
  series: [{ ...counts, date: '2026-10-29' }],
}

const noDetails = { byLink: [], bySource: [], byCountry: [], series: [] }

const session = { sessionId: 'cs_a1B2c3', url: 'https://billing.example.com/pay/cs_a1B2c3' }

const queuedDispatch = {
  id: exampleIds.dispatch,
  trackId: exampleIds.track,
  kind: 'media_intelligence',
  status: 'queued',
  attempt: 0,
  createdAt: exampleTime,
  updatedAt: exampleTime,
}

export const accountExamples = {
  BillingStatus: {
    customerConfigured: true,
    planId: 'pro',
    status: 'active',
    billingCustomerId: 'cus_R8w2',
    billingSubscriptionId: 'sub_1QxT7a',
    availablePlanIds: ['free', 'starter', 'pro'],
    cancelAtPeriodEnd: false,
    currentPeriodEnd: '2026-11-29T09:30:00.000Z',
  },
  BillingSession: session,
  PlanChange: { mode: 'switched', planId: 'pro' },
  PendingCancellation: {
    status: 'active',
    cancelAtPeriodEnd: true,
    currentPeriodEnd: '2026-11-29T09:30:00.000Z',
  },
  AnalyticsOverview: {
    from: '2026-10-01',
    to: '2026-10-31',
    totals: counts,
    series: [{ ...counts, date: '2026-10-29' }],
  },
  PackAnalytics: { packId: exampleIds.pack, totals: countsWithVisitors, ...noDetails },
  TrackAnalytics: { trackId: exampleIds.track, ...report },
  EngagementEventPage: {
    records: [
      {
        id: exampleIds.event,
        type: 'track.played',
        occurredAt: exampleTime,
        packId: exampleIds.pack,
        trackId: exampleIds.track,
        linkKind: 'pack',
        linkId: exampleIds.link,
        source: 'newsletter',
        channel: null,
        positionMs: null,
        durationMs: null,
      },
    ],
    nextCursor: null,
  },
  BillingEventResult: { received: true, status: 'processed', type: 'customer.subscription.updated' },
  LinkEventResult: { ok: true, status: 'stored', event: 'link.clicked' },
  EmailEventResult: { received: true, deliveryUpdated: true, type: 'email.delivered', status: 'delivered' },
  AnalysisCallbackResult: { ok: true, status: 'applied' },
  QueuedDispatchPage: { records: [queuedDispatch], nextCursor: null },
}
