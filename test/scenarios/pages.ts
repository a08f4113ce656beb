import type { Label } from '#contracts/route-table.ts'
import type { Account } from '#migration/parity/run/account.ts'
import { defineScenario } from '#migration/parity/run/scenario.ts'
import { memoizePerSide, type ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createBrokenWav, createDocument, createWav } from './fixtures/files.ts'
import { createLibrary, createPack, createTrack, shareAnotherLibrary } from './fixtures/libraries.ts'
import { getSharer, unknownId } from './fixtures/links.ts'
import { createLinkToPack } from './fixtures/pack-links.ts'
import { createShareLink } from './fixtures/share-links.ts'
import { getStemmedTrack } from './fixtures/stems.ts'
import {
  createOwnedTrack,
  createProcessedTrack,
  getFullTrack,
  uploadFile,
  waitForProcessing,
} from './fixtures/tracks.ts'

const names = ['First', 'Second', 'Third', 'Fourth']

const inviteMany = async (owner: Account, libraryId: string, count: number) => {
  for (let index = 0; index < count; index++)
    await owner.call('libraries.shares.create', {
      params: { libraryId },
      body: { email: `guest${index}@example.test`, accessType: 'viewer' },
    })
}

const createInvitedLibrary = async ({ account }: ScenarioContext, count: number) => {
  const owner = await account({ plan: 'pro' })
  const { id: libraryId } = await createLibrary(owner)
  await inviteMany(owner, libraryId, count)
  return { owner, params: { libraryId } }
}

const createFour = async (create: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < 4; index++) await create(index)
}

const createListOfPack =
  (create: (context: ScenarioContext, owner: Account, packId: string, index: number) => Promise<unknown>) =>
  async (context: ScenarioContext) => {
    const owner = await context.account()
    const { id: packId } = await createPack(owner)
    await createFour((index) => create(context, owner, packId, index))
    return { owner, params: { packId }, parentId: packId }
  }

const inviteToPack = (_: ScenarioContext, owner: Account, packId: string, index: number) =>
  owner.call('packs.invitations.create', {
    params: { packId },
    body: { email: `guest${index}@example.test` },
  })

interface ListOwner {
  readonly owner: Account
  readonly params?: Readonly<Record<string, string>>
}

// Each list is created once and never changed.
const lists: readonly (readonly [label: Label, get: (context: ScenarioContext) => Promise<ListOwner>])[] = [
  [
    'libraries.list',
    memoizePerSide(async ({ account }) => {
      const owner = await account()
      const first = await createLibrary(owner)
      for (const name of names.slice(1)) await createLibrary(owner, name)
      const params = { libraryId: first.id }
      await owner.call('libraries.update', { params, body: { description: 'Changed last' } })
      return { owner }
    }),
  ],
  [
    'libraries.shared-with-me',
    memoizePerSide(async ({ account }) => {
      const [owner, guest] = [await account({ plan: 'pro' }), await account()]
      for (const _ of names) await shareAnotherLibrary(owner, guest)
      return { owner: guest }
    }),
  ],
  ['libraries.shares.list', memoizePerSide((context) => createInvitedLibrary(context, 4))],
  [
    'tracks.share-links.list',
    memoizePerSide(async (context) => {
      const owner = await getSharer(context)
      const { id: trackId } = await createTrack(owner)
      for (const name of names) await createShareLink(owner, trackId, { name })
      return { owner, params: { trackId } }
    }),
  ],
  [
    'tracks.versions.list',
    memoizePerSide((context) =>
      createProcessedTrack(context, createWav(), createBrokenWav(), createBrokenWav(), createBrokenWav()),
    ),
  ],
  ['tracks.stems.list', getStemmedTrack],
  ['tracks.media-assets.list', getFullTrack],
  [
    'packs.list',
    memoizePerSide(async ({ account }) => {
      const owner = await account()
      for (const name of names) await createPack(owner, name)
      return { owner }
    }),
  ],
  [
    'packs.links.list',
    memoizePerSide(
      createListOfPack((context, owner, packId, index) =>
        createLinkToPack(context, owner, packId, { slug: context.unique(`page-${index}`) }),
      ),
    ),
  ],
  ['packs.invitations.list', memoizePerSide(createListOfPack(inviteToPack))],
]

const toCursor = (at: string) => btoa(`${at} ${unknownId}`)

/** Queries that a list ignores, so the whole list is returned. */
const ignored: readonly (readonly [title: string, query: Readonly<Record<string, string>>])[] = [
  ['a limit of 0', { limit: '0' }],
  ['a limit of 101', { limit: '101' }],
  ['a limit that is not a number', { limit: 'all' }],
  ['a limit with a fraction', { limit: '2.5' }],
  ['a malformed cursor', { cursor: 'x' }],
  ['a cursor without an id', { cursor: btoa('2026-01-01T00:00:00.000Z') }],
]

const oldestFirst: ReadonlySet<Label> = new Set(['tracks.versions.list', 'tracks.stems.list'])

interface TiedList {
  readonly owner: Account
  readonly params?: Readonly<Record<string, string>>
  /** The id of the parent that all rows of the list have in common. */
  readonly parentId: string
}

const createListOfAccount =
  (create: (owner: Account) => Promise<unknown>) => async (context: ScenarioContext) => {
    const owner = await context.account()
    await createFour(() => create(owner))
    return { owner, parentId: owner.accountId }
  }

/**
 * Lists that can have several records with the same time. Each comes with its table, its time and parent columns, and
 * its column of unique texts, if it has one.
 */
const tiedLists: readonly (readonly [
  label: Label,
  rows: readonly [table: string, time: string, parent: string, unique?: string],
  create: (context: ScenarioContext) => Promise<TiedList>,
])[] = [
  ['tracks.list', ['tracks', 'created_at', 'owner_id'], createListOfAccount(createTrack)],
  ['packs.list', ['packs', 'created_at', 'owner_id', 'name'], createListOfAccount(createPack)],
  ['libraries.list', ['libraries', 'updated_at', 'owner_id', 'name_key'], createListOfAccount(createLibrary)],
  [
    'libraries.shares.list',
    ['library_shares', 'created_at', 'library_id', 'email'],
    async (context) => {
      const list = await createInvitedLibrary(context, 4)
      return { ...list, parentId: list.params.libraryId }
    },
  ],
  [
    'libraries.shared-with-me',
    ['libraries', 'updated_at', 'owner_id'],
    async ({ account }) => {
      const [owner, guest] = [await account({ plan: 'pro' }), await account()]
      await createFour(() => shareAnotherLibrary(owner, guest))
      return { owner: guest, parentId: owner.accountId }
    },
  ],
  [
    'tracks.share-links.list',
    ['track_share_links', 'created_at', 'track_id', 'token_hash'],
    async (context) => {
      const owner = await getSharer(context)
      const { id: trackId } = await createTrack(owner)
      await createFour((index) => createShareLink(owner, trackId, { name: `Link ${index}` }))
      return { owner, params: { trackId }, parentId: trackId }
    },
  ],
  [
    'tracks.media-assets.list',
    ['media_assets', 'created_at', 'track_id', 'storage_key'],
    async (context) => {
      const track = await createOwnedTrack(context)
      await createFour((index) =>
        uploadFile(track, 'tracks.documents.upload', createDocument(`${index}.txt`)),
      )
      await waitForProcessing(track)
      return { ...track, parentId: track.params.trackId }
    },
  ],
  [
    'packs.links.list',
    ['pack_links', 'created_at', 'pack_id', 'slug'],
    createListOfPack((context, owner, packId, index) =>
      createLinkToPack(context, owner, packId, { slug: context.unique(`link-${index}`) }),
    ),
  ],
  [
    'packs.invitations.list',
    ['pack_invitations', 'created_at', 'pack_id', 'provider_email_id'],
    createListOfPack(inviteToPack),
  ],
]

const isPagedByNative = (label: Label) => lists.some(([other]) => other === label) || label === 'tracks.list'

/**
 * Lists that native splits into pages on request. The core ignores paging, so its response is compared with all pages
 * together.
 */
export const pages = [
  ...lists.flatMap(([label, get]) => {
    const withList = (request: Readonly<Record<string, unknown>>) => async (context: ScenarioContext) => {
      const { owner, params } = await get(context)
      return { as: owner, ...(params && { params }), ...request }
    }
    return [
      ...[1, 2, 3, 100].map((pageSize) =>
        defineScenario(label, 200, `returns the list in pages of ${pageSize}`, withList({ pageSize })),
      ),
      ...ignored.map(([title, query]) => defineScenario(label, 200, `ignores ${title}`, withList({ query }))),
      defineScenario(
        label,
        200,
        'returns everything after a cursor that precedes it',
        withList({
          query: {
            cursor: toCursor(
              oldestFirst.has(label) ? '2000-01-01T00:00:00.000Z' : '2999-01-01T00:00:00.000Z',
            ),
          },
        }),
      ),
    ]
  }),
  defineScenario('libraries.shares.list', 200, 'returns pages of the default size', async (context) => {
    const { owner, params } = await createInvitedLibrary(context, 102)
    return { as: owner, params, pageSize: 'default' }
  }),
  // Native reads lists this long in several statements. All records but three have the same time.
  ...tiedLists.flatMap(([label, [table, _, parent, unique], create]) =>
    unique === undefined
      ? []
      : defineScenario(label, 200, 'returns thousands of records', async (context) => {
          const { owner, params, parentId } = await create(context)
          await context.changeRows(
            `insert into ${table}
              select copy.* from (select row from ${table} row where ${parent} = $1 order by id limit 1) source,
                generate_series(1, 2500) n,
                jsonb_populate_record(row, jsonb_build_object('id', (row).id || '-' || n,
                  '${unique}', case '${unique}'
                    when 'token_hash' then encode(sha256(convert_to((row).id || '-' || n, 'UTF8')), 'hex')
                    else (row).${unique} || '-' || n end)) copy`,
            [parentId],
          )
          return { as: owner, ...(params && { params }) }
        }),
  ),
  ...tiedLists.map(([label, [table, time, parent], create]) =>
    defineScenario(label, 200, 'orders records with the same time by id', async (context) => {
      const { owner, params, parentId } = await create(context)
      await context.changeRows(
        `update ${table} set ${time} = '2026-01-01T00:00:00.123Z' where id in
          (select id from ${table} where ${parent} = $1 order by id limit 2)`,
        [parentId],
      )
      return { as: owner, ...(params && { params }), ...(isPagedByNative(label) && { pageSize: 1 }) }
    }),
  ),
]
