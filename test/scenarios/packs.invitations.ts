import { defineScenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createPack } from './fixtures/libraries.ts'
import { createLinkToPack, validAccessCode } from './fixtures/pack-links.ts'

// RFC 2606 reserves this domain, so no run sends email to a real person.
const address = 'press@example.test'

const longDomain = `@${'a'.repeat(60)}.example.test`

// Addresses are unique, so that each side's emails can be found among all that the provider received.
const addresses: readonly (readonly [title: string, createEmail: (context: ScenarioContext) => string])[] = [
  ['an address', ({ unique }) => `${unique('press')}@example.test`],
  ['an address in upper case, with spaces', ({ unique }) => `  Press-${unique('B')}@EXAMPLE.test `],
  ['an address with a tag', ({ unique }) => `press+${unique('harbour')}@example.test`],
  [
    'an address of 254 characters',
    ({ unique }) => `${unique('press').padEnd(254 - longDomain.length, 'a')}${longDomain}`,
  ],
  [
    'an address at an internationalized domain',
    ({ unique }) => `${unique('press')}@xn--mnchen-3ya.example.xn--p1ai`,
  ],
]

// The email contains one of the pack's links. Each list here starts with the oldest link.
const links: readonly (readonly [title: string, bodies: readonly { readonly accessCode?: string }[]])[] = [
  ['with a link', [{}]],
  ['with a link that has an access code', [{ accessCode: validAccessCode }]],
  ['with a link and a newer one that has an access code', [{}, { accessCode: validAccessCode }]],
  ['with two links', [{}, {}]],
]

const invalidAddresses: readonly (readonly [title: string, body: Readonly<Record<string, unknown>>])[] = [
  ['no address', {}],
  ['an empty address', { email: '' }],
  ['a name', { email: 'press' }],
  ['a domain without a dot', { email: 'press@example' }],
  ['two addresses', { email: `${address}, ${address}` }],
  ['a name with an address', { email: `Press <${address}>` }],
  ['a look-alike letter', { email: '\u212Aim@example.test' }],
  ['an address of 255 characters', { email: longDomain.padStart(255, 'a') }],
  ['an address with two dots in a row', { email: 'press..office@example.test' }],
  ['an address with a dot before the @', { email: 'press.@example.test' }],
  ['a number as the address', { email: 7 }],
  ['null as the address', { email: null }],
]

const createPackOf = async ({ account }: ScenarioContext) => {
  const owner = await account()
  return { as: owner, params: { packId: (await createPack(owner)).id } }
}

export const packInvitations = [
  defineScenario('packs.invitations.list', 200, 'returns an empty list', createPackOf),
  defineScenario(
    'packs.invitations.list',
    200,
    'lists all invitations to a pack, newest first',
    async (context) => {
      const { as, params } = await createPackOf(context)
      for (const [, createEmail] of addresses)
        await as.call('packs.invitations.create', { params, body: { email: createEmail(context) } })
      return { as, params }
    },
  ),

  ...addresses.map(([title, createEmail]) =>
    defineScenario('packs.invitations.create', 201, `invites ${title}`, async (context) => ({
      ...(await createPackOf(context)),
      body: { email: createEmail(context) },
    })),
  ),
  ...links.map(([title, bodies]) =>
    defineScenario('packs.invitations.create', 201, `invites to a pack ${title}`, async (context) => {
      const { as, params } = await createPackOf(context)
      for (const [index, body] of bodies.entries())
        await as.call('packs.links.create', {
          params,
          body: { slug: context.unique(`night${index}`), ...body },
        })
      return { as, params, body: { email: `${context.unique('press')}@example.test` } }
    }),
  ),
  defineScenario(
    'packs.invitations.create',
    201,
    'invites to a pack whose only link was revoked',
    async (context) => {
      const { as, params } = await createPackOf(context)
      const link = await createLinkToPack(context, as, params.packId)
      await as.call('packs.links.revoke', { params: { ...params, linkId: link.id } })
      return { as, params, body: { email: `${context.unique('press')}@example.test` } }
    },
  ),
  defineScenario(
    'packs.invitations.create',
    201,
    'invites to a pack whose newest link has expired',
    async (context) => {
      const { as, params } = await createPackOf(context)
      await createLinkToPack(context, as, params.packId, { accessCode: validAccessCode })
      const { id } = await createLinkToPack(context, as, params.packId, { slug: context.unique('expired') })
      await context.changeRows(`update pack_links set expires_at = '2020-01-01' where id = $1`, [id])
      return { as, params, body: { email: `${context.unique('press')}@example.test` } }
    },
  ),
  defineScenario('packs.invitations.create', 201, 'invites an address again', async (context) => {
    const { as, params } = await createPackOf(context)
    await as.call('packs.invitations.create', { params, body: { email: address } })
    return { as, params, body: { email: address } }
  }),
  ...invalidAddresses.map(([title, body]) =>
    defineScenario('packs.invitations.create', 400, `rejects ${title}`, async (context) => ({
      ...(await createPackOf(context)),
      body,
    })),
  ),
  defineScenario(
    'packs.invitations.create',
    404,
    'looks up the pack before it validates the body',
    async (context) => ({
      as: await context.account(),
      params: (await createPackOf(context)).params,
      body: { email: 'press' },
    }),
  ),
]
