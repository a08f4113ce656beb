import * as z from 'zod'
import { findShareFindings, readOpenLinks } from '../findings/find-share-findings.ts'
import { citationsOf, selectFindings } from '../findings/order-findings.ts'
import { citedBy, OpenShare, readOpenShares } from '../findings/read-open-shares.ts'
import { defineTool, Limit, maxListed } from './define-tool.ts'

const Target = z.enum(['track', 'pack', 'library'])

export const openShares = defineTool({
  name: 'open_shares',
  description:
    'Lists what is shared now, newest first: links to tracks, packs and split sheets, shares of libraries, and invitations to packs, with their recipients.',
  input: z.strictObject({ targets: z.array(Target).min(1).max(3).default(Target.options), limit: Limit }),
  output: z.object({ total: z.int(), shares: z.array(OpenShare).max(maxListed) }),
  async run(scope, { targets, limit }) {
    const links = await readOpenLinks(scope)
    const open = (await readOpenShares(scope, links)).filter(({ target }) =>
      targets.some((type) => type === target.type),
    )
    const shares = open.slice(0, limit)
    const openIds = new Set(open.map(({ id }) => id))
    const openLinks = links.filter(({ id }) => openIds.has(id))
    const findings = selectFindings(findShareFindings(openLinks, scope.now))
    return {
      output: { total: open.length, shares },
      findings,
      citations: citationsOf([...citedBy(shares), ...findings]),
    }
  },
})
