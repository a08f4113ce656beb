import { defineScenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createPack } from './fixtures/libraries.ts'
import { expiringSoon, unknownId, waitForExpiry } from './fixtures/links.ts'
import { createLinkToPack, getShortSlug, validAccessCode } from './fixtures/pack-links.ts'

type PackLinkFields = Readonly<Record<string, unknown>>

const later = '2999-12-31T23:59:59.999Z'
const emoji = '\u{1F3B5}'

const newLinks: readonly (readonly [title: string, body: PackLinkFields])[] = [
  ['with a trimmed name', { name: '  For the label \n' }],
  ['with a name of 120 emoji', { name: emoji.repeat(120) }],
  ['with a name in decomposed letters', { name: 'Cafe\u0301' }],
  ['with an access code', { accessCode: validAccessCode }],
  ['with an access code of spaces', { accessCode: '    ' }],
  ['with an expiry in another time zone', { expiresAt: '2998-06-30T23:30:00.1234567+05:30' }],
  ['without downloads', { disableDownloads: true }],
  ['with downloads', { disableDownloads: false, name: 'For the label' }],
  ['with an expiry tomorrow', { expiresAt: new Date(Date.now() + 86_400_000).toISOString() }],
  ['with an access code of 64 emoji', { accessCode: emoji.repeat(64) }],
  ['with unknown fields', { token: 'mine', status: 'revoked', downloadsEnabled: false }],
]

const invalidLinks: readonly (readonly [title: string, body: PackLinkFields])[] = [
  ['an empty name', { name: '' }],
  ['a name of 121 characters', { name: emoji.repeat(121) }],
  ['a name with a control character', { name: 'For\u0000the label' }],
  ['a lone surrogate in the name', { name: 'For \ud83c' }],
  ['null as the name', { name: null }],
  ['a number as the name', { name: 7 }],
  ['a slug that is too short', { slug: 'ab' }],
  ['a slug that is too long', { slug: 'a'.repeat(65) }],
  ['a slug in upper case', { slug: 'Night-Drives' }],
  ['a slug between spaces', { slug: ' night-drives ' }],
  ['a slug with an underscore', { slug: 'night_drives' }],
  ['null as the slug', { slug: null }],
  ['an access code that is too short', { accessCode: 'abc' }],
  ['an access code of 3 emoji', { accessCode: emoji.repeat(3) }],
  ['null as the access code', { accessCode: null }],
  ['an access code that is too long', { accessCode: emoji.repeat(65) }],
  ['an access code with a line feed', { accessCode: 'open\nsesame' }],
  ['a number as the access code', { accessCode: 12_345 }],
  ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
  ['null as the expiry', { expiresAt: null }],
  ['an expiry a minute ago', { expiresAt: new Date(Date.now() - 60_000).toISOString() }],
  ['an expiry without a time zone', { expiresAt: '2999-01-01T00:00:00' }],
  ['an expiry on a day that does not exist', { expiresAt: '2999-02-30T00:00:00Z' }],
  ['an expiry after the year 9999', { expiresAt: '9999-12-31T23:59:59-12:00' }],
  ['text as disableDownloads', { disableDownloads: 'true' }],
  ['null as disableDownloads', { disableDownloads: null }],
  ['two invalid fields', { name: '', slug: '' }],
]

const createPackOf = async ({ account }: ScenarioContext) => {
  const owner = await account()
  return { as: owner, params: { packId: (await createPack(owner)).id } }
}

const createLink = async (context: ScenarioContext, body: PackLinkFields = {}) => {
  const { as: owner, params } = await createPackOf(context)
  const link = await createLinkToPack(context, owner, params.packId, body)
  return { as: owner, params: { ...params, linkId: link.id }, slug: link.slug }
}

const readPage = (slug: string) => ({ label: 'public.pack-links.detail', params: { slug } }) as const

export const packOwnerLinks = [
  defineScenario('packs.links.list', 200, 'returns an empty list', createPackOf),
  defineScenario('packs.links.list', 200, 'lists all links, newest first', async (context) => {
    const { as: owner, params } = await createLink(context, { name: 'For the label', expiresAt: later })
    const { packId } = params
    await createLinkToPack(context, owner, packId, {
      slug: context.unique('second'),
      accessCode: validAccessCode,
    })
    await owner.call('packs.links.revoke', { params })
    return { as: owner, params: { packId } }
  }),
  defineScenario('packs.links.list', 200, 'returns a link that has expired', async (context) => {
    const { as: owner, params, slug } = await createLink(context, expiringSoon())
    await waitForExpiry(owner, 'public.pack-links.detail', { slug })
    return { as: owner, params: { packId: params.packId } }
  }),

  defineScenario('packs.links.list', 200, 'lists no links of another pack', async (context) => {
    const { as: owner, params } = await createLink(context, { disableDownloads: true })
    const { id: packId } = await createPack(owner, 'Another')
    await createLinkToPack(context, owner, packId, { slug: context.unique('another') })
    return { as: owner, params: { packId: params.packId } }
  }),

  // The slug is given, because generated slugs are random and differ even if both sides are correct.
  ...newLinks.map(([title, body]) =>
    defineScenario('packs.links.create', 201, `creates a link ${title}`, async (context) => ({
      ...(await createPackOf(context)),
      body: { slug: context.unique('night'), ...body },
    })),
  ),
  defineScenario('packs.links.create', 201, 'accepts a slug of 64 characters', async (context) => ({
    ...(await createPackOf(context)),
    body: { slug: context.unique('night').padEnd(64, '-x') },
  })),
  defineScenario('packs.links.create', 201, 'stores the access code unchanged', async (context) => {
    const [slug, accessCode] = [context.unique('night'), ' Open  Se\u0301same\u3000']
    return {
      ...(await createPackOf(context)),
      body: { slug, accessCode },
      reads: [{ ...readPage(slug), query: { accessCode } }],
    }
  }),
  defineScenario('packs.links.create', 201, 'generates slugs of 128 random bits', async (context) => {
    const { as, params } = await createPackOf(context)
    for (const name of ['First', 'Second']) {
      const { id } = await as.call('packs.links.create', { params, body: { name } })
      // Generated slugs differ in every run, so the name shows whether the slug is well-formed.
      await context.changeRows(
        `update pack_links set slug = $2,
          name = name || case when slug ~ '^[0-9a-f]{32}$' then ': well-formed' else ': malformed' end where id = $1`,
        [id, context.unique(name.toLowerCase())],
      )
    }
    return { as, params, body: { slug: context.unique('third') } }
  }),
  ...invalidLinks.map(([title, body]) =>
    defineScenario('packs.links.create', 400, `rejects ${title}`, async (context) => ({
      ...(await createPackOf(context)),
      body,
    })),
  ),
  defineScenario('packs.links.create', 409, 'rejects the slug of another link', async (context) => {
    const { as, params, slug } = await createLink(context)
    return { as, params: { packId: params.packId }, body: { slug } }
  }),
  defineScenario('packs.links.create', 409, 'rejects the slug of a revoked link', async (context) => {
    const { as, params, slug } = await createLink(context)
    await as.call('packs.links.revoke', { params })
    return { as, params: { packId: params.packId }, body: { slug } }
  }),
  defineScenario('packs.links.create', 409, 'rejects the slug of an expired link', async (context) => {
    const { as, params, slug } = await createLink(context)
    await context.changeRows(`update pack_links set expires_at = '2020-01-01' where id = $1`, [params.linkId])
    return { as, params: { packId: params.packId }, body: { slug } }
  }),
  defineScenario('packs.links.create', 409, "rejects another account's short slug", async (context) => ({
    ...(await createPackOf(context)),
    body: { slug: await getShortSlug(context) },
  })),
  defineScenario(
    'packs.links.create',
    404,
    'looks up the pack before it validates the body',
    async (context) => ({
      as: await context.account(),
      params: (await createPackOf(context)).params,
      body: { slug: '' },
    }),
  ),

  defineScenario('packs.links.revoke', 204, 'revokes one of two links', async (context) => {
    const { as, params, slug } = await createLink(context)
    const other = await createLinkToPack(context, as, params.packId, { slug: context.unique('other') })
    return { as, params, reads: [readPage(slug), readPage(other.slug)] }
  }),
  defineScenario('packs.links.revoke', 204, 'accepts a link that is already revoked', async (context) => {
    const { as, params, slug } = await createLink(context)
    await as.call('packs.links.revoke', { params })
    return { as, params, reads: [readPage(slug)] }
  }),
  defineScenario('packs.links.revoke', 204, 'revokes a link that has expired', async (context) => {
    const { as, params, slug } = await createLink(context, expiringSoon())
    await waitForExpiry(as, 'public.pack-links.detail', { slug })
    return { as, params }
  }),
  defineScenario('packs.links.revoke', 404, 'does not find a link of another account', async (context) => {
    const { params } = await createLink(context)
    const { as, params: own } = await createPackOf(context)
    return { as, params: { ...own, linkId: params.linkId } }
  }),
  ...[unknownId, 'no id'].map((linkId) =>
    defineScenario('packs.links.revoke', 404, `does not find the link ${linkId}`, async (context) => {
      const { as, params } = await createPackOf(context)
      return { as, params: { ...params, linkId } }
    }),
  ),
  defineScenario('packs.links.revoke', 404, 'does not find a link of another pack', async (context) => {
    const { as, params } = await createLink(context)
    return { as, params: { ...params, packId: (await createPack(as)).id } }
  }),
]
