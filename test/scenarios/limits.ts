import type { Label } from '#contracts/route-table.ts'
import type { Account } from '#migration/parity/run/account.ts'
import { defineScenario, PreparationError } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createDocument, createPng, createWav } from './fixtures/files.ts'
import { createAcceptedShare, createLibrary, createTrack } from './fixtures/libraries.ts'
import {
  createGatedPackLink,
  createPackLink,
  packEventLabels,
  packLinkLabels,
  packLinkParamsOf,
  packPageLabels,
  validAccessCode,
} from './fixtures/pack-links.ts'
import { createShareLink, createTrackWithShareLink } from './fixtures/share-links.ts'
import { createReviewLink } from './fixtures/split-sheet-links.ts'
import {
  createOwnedTrack,
  type UploadLabel,
  uploadFile,
  uploadWithoutFinalizing,
  waitForProcessing,
} from './fixtures/tracks.ts'

const gibibyte = 1024 ** 3

const rates = { publicReads: 40, shareEvents: 20, accessCodesOfLink: 6 }
const quotas = { libraries: 6, filesOfTrack: 4, pendingUploadBytes: 2 * gibibyte, revokedLinks: 2 }

/** A contract run's settings: low enough for a scenario to reach, but high enough for the scenarios in other files. */
export const limitSettings = {
  RATE_LIMIT_PUBLIC_READS: `${rates.publicReads}/60`,
  RATE_LIMIT_SHARE_EVENTS: `${rates.shareEvents}/60`,
  RATE_LIMIT_ACCESS_CODES_LINK: `${rates.accessCodesOfLink}/600`,
  QUOTA_LIBRARIES: String(quotas.libraries),
  QUOTA_DOCUMENTS: String(quotas.filesOfTrack),
  QUOTA_VERSIONS: String(quotas.filesOfTrack),
  QUOTA_PENDING_UPLOAD_BYTES: String(quotas.pendingUploadBytes),
  QUOTA_REVOKED_LINKS: String(quotas.revokedLinks),
}

const createPackLinkParams = async (context: ScenarioContext) => ({
  slug: (await createPackLink(context)).slug,
})
const createTrackLinkParams = async (context: ScenarioContext) => ({
  token: (await createTrackWithShareLink(context)).token,
})
const createSheetLinkParams = async (context: ScenarioContext) => ({
  token: (await createReviewLink(context)).token,
})

const linksOf = (trackId: string) => ({ label: 'tracks.share-links.list', params: { trackId } }) as const

const createLibraries = async (owner: Account, count: number) => {
  const { id: libraryId } = await createLibrary(owner)
  for (let index = 1; index < count; index++) await createLibrary(owner)
  return { libraryId }
}

const files = [
  ['tracks.documents.upload', createDocument(), { fileName: 'deed.pdf', contentType: 'application/pdf' }],
  ['tracks.versions.upload', createWav(), { fileName: 'night.wav', contentType: 'audio/wav' }],
] as const

const declareUploads = async (owner: Account, sizes: readonly number[]) => {
  for (const byteSize of sizes)
    await owner.call('tracks.versions.upload', {
      params: { trackId: (await createTrack(owner)).id },
      body: { fileName: 'night.wav', contentType: 'audio/wav', byteSize },
    })
}

const withPendingBytes = (title: string, status: number, sizes: readonly number[], byteSize: number) =>
  defineScenario('tracks.versions.upload', status, title, async (context) => {
    const { owner, params } = await createOwnedTrack(context)
    await declareUploads(owner, sizes)
    await declareUploads(await context.account(), [gibibyte])
    return { as: owner, params, body: { fileName: 'a.wav', contentType: 'audio/wav', byteSize } }
  })

const pendingFiles = [
  ['tracks.documents.upload', 'documents', { fileName: 'deed.pdf', contentType: 'application/pdf' }],
  ['tracks.artwork.upload', 'artwork', { fileName: 'cover.png', contentType: 'image/png' }],
] as const

const expiries = [`status = 'expired'`, `expires_at = now() - interval '61 minutes'`] as const

const fileQuotas = (
  label: UploadLabel,
  file: (typeof files)[number][1],
  intent: (typeof files)[number][2],
) => {
  const body = { ...intent, byteSize: 100 }
  const withPending = (title: string, status: number, pending: number, finalized: number) =>
    defineScenario(label, status, title, async (context) => {
      const track = await createOwnedTrack(context)
      for (let index = 0; index < finalized; index++) await uploadFile(track, label, file)
      // These files' states must not change between the reads of the two sides.
      await waitForProcessing(track)
      for (let index = 0; index < pending; index++) await uploadWithoutFinalizing(track, label, file)
      await uploadWithoutFinalizing(track, 'tracks.artwork.upload', createPng())
      const another = { ...track, params: { trackId: (await createTrack(track.owner)).id } }
      await uploadWithoutFinalizing(another, label, file)
      return { as: track.owner, params: track.params, body }
    })
  return [
    withPending('accepts the last file that the quota allows', 201, quotas.filesOfTrack - 2, 1),
    withPending('enforces the quota for files, including pending uploads', 409, quotas.filesOfTrack - 1, 1),
    withPending('enforces the quota for files without pending uploads', 409, 0, quotas.filesOfTrack),
    defineScenario(label, 409, 'counts files that were rejected', async (context) => {
      const track = await createOwnedTrack(context)
      for (let index = 0; index < quotas.filesOfTrack; index++) await uploadFile(track, label, file)
      await waitForProcessing(track)
      for (const table of ['media_assets', 'track_versions'])
        await context.changeRows(`update ${table} set status = 'failed' where track_id = $1`, [
          track.params.trackId,
        ])
      return { as: track.owner, params: track.params, body }
    }),
    defineScenario(label, 201, 'does not count files of another kind', async (context) => {
      const track = await createOwnedTrack(context)
      for (const [other, otherFile] of files)
        if (other !== label)
          for (let index = 0; index < quotas.filesOfTrack; index++)
            await uploadWithoutFinalizing(track, other, otherFile)
      return { as: track.owner, params: track.params, body }
    }),
  ]
}

const limitedRoutes: readonly (readonly [
  label: Label,
  limit: number,
  createParams: (context: ScenarioContext) => Promise<Readonly<Record<string, string>>>,
])[] = [
  ...packPageLabels.map((label) => [label, rates.publicReads, createPackLinkParams] as const),
  ...packEventLabels.map((label) => [label, rates.shareEvents, createPackLinkParams] as const),
  ['public.track-links.detail', rates.publicReads, createTrackLinkParams],
  ['public.track-links.share-events.record', rates.shareEvents, createTrackLinkParams],
  ['public.split-sheets.detail', rates.publicReads, createSheetLinkParams],
]

/**
 * The last request that a rate limit admits, and the next one. If a limit applies too early, the requests that prepare
 * the scenario fail.
 */
const rateLimits = limitedRoutes.flatMap(([label, limit, createParams]) =>
  [
    [200, 'admits requests up to the limit', limit - 1] as const,
    [429, 'rejects the first request over the limit', limit] as const,
  ].map(([status, title, sent]) =>
    defineScenario(
      label,
      status,
      title,
      async (context) => {
        const [visitor, params] = [await context.account(), await createParams(context)]
        // Sends all requests concurrently, because the limit applies per minute.
        await Promise.all(Array.from({ length: sent }, () => visitor.call(label, { params })))
        return { as: visitor, params }
      },
      { isIsolated: true },
    ),
  ),
)

/** Creates a link whose code one visitor knew. After that, wrong codes have used up the link's limit. */
const createLinkWithGuesses = async (context: ScenarioContext) => {
  const [visitor, link] = [await context.account(), await createGatedPackLink(context)]
  const request = (accessCode: string) => ({ params: packLinkParamsOf(link), query: { accessCode } })
  await visitor.call('pack-links.detail', request(validAccessCode))
  for (let index = 0; index < rates.accessCodesOfLink; index++)
    await visitor.call('pack-links.detail', request(`guess ${index}`)).catch((error: unknown) => {
      if (!(error instanceof PreparationError)) throw error
    })
  return { visitor, link, request }
}

/** Scenarios for limits that only a contract run sets low enough to reach. */
export const limitScenarios = [
  ...rateLimits,
  ...packLinkLabels.map((label) =>
    defineScenario(
      label,
      200,
      'admits a visitor who knew the code after wrong ones have used up the limit of the link',
      async (context) => {
        const { visitor, link, request } = await createLinkWithGuesses(context)
        // Once a link has changed, native compares even a code that was right before.
        await context.changeRows('update pack_links set updated_at = now() where id = $1', [link.linkId])
        return { as: visitor, ...request(validAccessCode) }
      },
      { isIsolated: true },
    ),
  ),
  defineScenario(
    'pack-links.detail',
    429,
    'rate-limits a visitor who knew the code but sends wrong ones',
    async (context) => {
      const { visitor, request } = await createLinkWithGuesses(context)
      await context.requestUntilRateLimited('pack-links.detail', { as: visitor, ...request('open barley') })
      return { as: visitor, ...request('open barley') }
    },
    { isIsolated: true },
  ),
  defineScenario(
    'libraries.create',
    201,
    'accepts the last library that the quota allows',
    async ({ account }) => {
      const owner = await account()
      await createLibraries(owner, quotas.libraries - 1)
      return { as: owner, body: { name: owner.newName('Last') } }
    },
  ),
  defineScenario('libraries.create', 409, 'enforces the quota for libraries', async ({ account }) => {
    const owner = await account()
    await createLibraries(owner, quotas.libraries)
    return { as: owner, body: { name: owner.newName('One too many') } }
  }),
  defineScenario('libraries.create', 409, 'checks the quota before the name', async ({ account }) => {
    const owner = await account()
    const { name } = await createLibrary(owner)
    await createLibraries(owner, quotas.libraries - 1)
    return { as: owner, body: { name } }
  }),
  defineScenario(
    'libraries.create',
    201,
    'does not count libraries that are shared with the account',
    async (context) => {
      const { guest } = await createAcceptedShare(context, 'admin')
      await createLibraries(guest, quotas.libraries - 1)
      return { as: guest, body: { name: guest.newName('Last') } }
    },
  ),
  defineScenario(
    'libraries.create',
    201,
    'does not count a library that was removed',
    async ({ account }) => {
      const owner = await account()
      await owner.call('libraries.remove', { params: await createLibraries(owner, quotas.libraries) })
      return { as: owner, body: { name: owner.newName('Another') } }
    },
  ),

  ...files.flatMap(([label, file, intent]) => fileQuotas(label, file, intent)),
  withPendingBytes('accepts the last bytes that the quota allows', 201, [gibibyte, gibibyte - 100], 100),
  withPendingBytes('enforces the quota for pending bytes', 409, [gibibyte, gibibyte - 100], 101),
  ...pendingFiles.flatMap(([label, kind, body]) => [
    defineScenario(label, 409, 'counts the pending bytes of versions', async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      await declareUploads(owner, [gibibyte, gibibyte - 100])
      return { as: owner, params, body: { ...body, byteSize: 101 } }
    }),
    defineScenario('tracks.versions.upload', 409, `counts the pending bytes of ${kind}`, async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      await declareUploads(owner, [gibibyte, gibibyte - 101])
      await owner.call(label, { params, body: { ...body, byteSize: 1 } })
      return { as: owner, params, body: { fileName: 'a.wav', contentType: 'audio/wav', byteSize: 101 } }
    }),
  ]),
  defineScenario(
    'tracks.versions.upload',
    201,
    'counts no bytes of uploads that have expired',
    async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      await declareUploads(owner, [gibibyte, gibibyte])
      for (const change of expiries)
        await context.changeRows(
          `update uploads set ${change} where id = (
          select min(uploads.id) from uploads join tracks on tracks.id = track_id
          where owner_id = $1 and status = 'pending' and expires_at > now())`,
          [owner.accountId],
        )
      return { as: owner, params, body: { fileName: 'a.wav', contentType: 'audio/wav', byteSize: gibibyte } }
    },
  ),
  defineScenario('tracks.artwork.upload', 201, 'sets no quota for artwork', async (context) => {
    const track = await createOwnedTrack(context)
    for (let index = 0; index < quotas.filesOfTrack; index++) {
      await uploadFile(track, 'tracks.documents.upload', createDocument())
      await uploadWithoutFinalizing(track, 'tracks.artwork.upload', createPng())
    }
    await waitForProcessing(track)
    const body = { fileName: 'cover.png', contentType: 'image/png', byteSize: 100 }
    return { as: track.owner, params: track.params, body }
  }),

  defineScenario(
    'tracks.share-links.revoke',
    204,
    'deletes the link that was revoked first, once there are too many',
    async ({ account }) => {
      const owner = await account({ plan: 'pro' })
      const { id: trackId } = await createTrack(owner)
      const [first, second, third] = [
        await createShareLink(owner, trackId, { name: 'First' }),
        await createShareLink(owner, trackId, { name: 'Second' }),
        await createShareLink(owner, trackId, { name: 'Third' }),
        await createShareLink(owner, trackId, { name: 'Active' }),
      ]
      const { id: otherId } = await createTrack(owner)
      const other = await createShareLink(owner, otherId)
      await owner.call('tracks.share-links.revoke', { params: { trackId: otherId, linkId: other.id } })
      for (const { id: linkId } of [second, first])
        await owner.call('tracks.share-links.revoke', { params: { trackId, linkId } })
      return {
        as: owner,
        params: { trackId, linkId: third.id },
        reads: [linksOf(otherId)],
      }
    },
  ),
  defineScenario(
    'tracks.share-links.create',
    201,
    'deletes the link that expired first, once there are too many',
    async (context) => {
      const owner = await context.account({ plan: 'pro' })
      const { id: trackId } = await createTrack(owner)
      const revoked = await createShareLink(owner, trackId, { name: 'Revoked' })
      await owner.call('tracks.share-links.revoke', { params: { trackId, linkId: revoked.id } })
      const { id: otherId } = await createTrack(owner)
      const other = await createShareLink(owner, otherId)
      const links = [revoked, other]
      for (const name of ['Fourth', 'First', 'Second', 'Third'])
        links.push(await createShareLink(owner, trackId, { name }))
      // The days on which `links` expired. The last two to expire are neither the two newest links nor the two oldest.
      for (const [index, day] of [5, 6, 4, 1, 2, 3].entries())
        await context.changeRows('update track_share_links set expires_at = $2::timestamptz where id = $1', [
          links[index]?.id ?? '',
          `2020-01-0${day}`,
        ])
      return { as: owner, params: { trackId }, body: { name: 'Active' }, reads: [linksOf(otherId)] }
    },
  ),
  ...(
    [
      ['tracks.share-links.revoke', 204, 'were revoked', 'revoked_at'],
      ['tracks.share-links.create', 201, 'expired', 'expires_at'],
    ] as const
  ).map(([label, status, end, column]) =>
    defineScenario(
      label,
      status,
      `deletes the oldest of the links that ${end} at the same time`,
      async (context) => {
        const owner = await context.account({ plan: 'pro' })
        const { id: trackId } = await createTrack(owner)
        const links = []
        for (const name of ['First', 'Second', 'Third', 'Fourth', 'Active'])
          links.push(await createShareLink(owner, trackId, { name }))
        for (const { id } of links.slice(0, -1))
          await context.changeRows(`update track_share_links set ${column} = '2020-01-01' where id = $1`, [
            id,
          ])
        const params = { trackId }
        return label === 'tracks.share-links.create'
          ? { as: owner, params, body: { name: 'Another' } }
          : { as: owner, params: { ...params, linkId: links.at(-1)?.id ?? '' } }
      },
    ),
  ),
  ...(
    [
      [201, 'counts no uploads that have expired', `status = 'expired'`],
      [
        201,
        'counts no uploads an hour after their URL expired',
        `expires_at = now() - interval '61 minutes'`,
      ],
      [
        409,
        'counts uploads within an hour after their URL expired',
        `expires_at = now() - interval '59 minutes'`,
      ],
    ] as const
  ).map(([status, title, change]) =>
    defineScenario('tracks.documents.upload', status, title, async (context) => {
      const { owner, params } = await createOwnedTrack(context)
      const request = { params, body: { fileName: 'a.txt', contentType: 'text/plain', byteSize: 1 } }
      for (let index = 0; index < quotas.filesOfTrack; index++)
        await owner.call('tracks.documents.upload', request)
      await context.changeRows(`update uploads set ${change} where track_id = $1`, [params.trackId])
      return { as: owner, ...request }
    }),
  ),
]
