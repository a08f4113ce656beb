import { randomBytes } from 'node:crypto'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Observation } from '../../diff/recorded-response.ts'
import { createJournal } from './journal.ts'
import { PreparationError, type ScenarioRequest } from './scenario.ts'
import { type Aliases, type ComparedSide, sendTimed } from './side.ts'

/** What a run may do in addition to creating resources that it can remove. */
interface Permissions {
  readonly billing: boolean
  /** Requests whose effects no route undoes: uploads, analyses, short links, recorded visits, exhausted rate limits. */
  readonly irreversible: boolean
}

interface SendOptions {
  readonly aliases?: Aliases
  /**
   * The status that the scenario expects. A request that must be rejected has no effect, so it needs no `irreversible`
   * permission.
   */
  readonly expected?: number
}

const isBillingWrite = (label: Label) => label.startsWith('billing.') && rowOf(label).method !== 'GET'

// The route table says that these only affect the database, but each creates a short link at the link provider.
const shortLinkRoutes: ReadonlySet<Label> = new Set(['tracks.share-links.create', 'tracks.share-links.reset'])

const isIrreversible = (label: Label) => {
  const { effects } = rowOf(label)
  return effects === 'events' || effects === 'external' || shortLinkRoutes.has(label)
}

// A billing request without an account never reaches the provider. Any other billing request may, even one that must be
// rejected, because a side may wrongly accept it.
const requirePermission = (
  { billing, irreversible }: Permissions,
  label: Label,
  request: ScenarioRequest,
  expected: number | undefined,
) => {
  if (isBillingWrite(label)) {
    if (!billing && request.as !== undefined)
      throw new PreparationError(`${label} may change a subscription at the billing provider: add --billing`)
    return
  }
  const isRejected = expected !== undefined && expected >= 400
  if (!irreversible && !isRejected && isIrreversible(label))
    throw new PreparationError(`no route undoes the effects of ${label}: add --irreversible`)
}

interface SessionOptions {
  readonly permissions: Permissions
  readonly removes: boolean
}

export const createSession = ({ permissions, removes }: SessionOptions) => {
  const runId = randomBytes(4).toString('hex')
  const journal = createJournal({ removes })
  /** Replaces all nonces in compared responses. */
  const nonceAliases: Aliases = [[new RegExp(`${runId}[nc][0-9a-f]{8}`, 'g'), '0'.repeat(17)]]
  let isStopped = false
  return {
    /** Part of every name that the run creates. */
    runId,
    permissions,
    journal,
    aliases: nonceAliases,
    send: async (
      side: ComparedSide,
      label: Label,
      request: ScenarioRequest,
      { aliases = [], expected }: SendOptions = {},
    ): Promise<Observation> => {
      if (isStopped) throw new PreparationError('the run was interrupted')
      requirePermission(permissions, label, request, expected)
      const response = await sendTimed(side, label, request, aliases)
      journal.record(side, label, request, response)
      return response
    },
    createNonce: ({ name }: ComparedSide) =>
      `${runId}${name === 'native' ? 'n' : 'c'}${randomBytes(4).toString('hex')}`,
    stop: () => {
      isStopped = true
    },
    get isStopped() {
      return isStopped
    },
  }
}

export type Session = ReturnType<typeof createSession>

export const createSandboxSession = () =>
  createSession({ permissions: { billing: true, irreversible: true }, removes: false })
