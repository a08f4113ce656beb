import { tokenVariable } from './accounts.ts'
import type { Session } from './session.ts'

interface Announcement {
  readonly native: string
  readonly core: string
  /** The number of given accounts; 0 for new accounts. */
  readonly accounts: number
  readonly session: Session
}

const describeAccounts = (count: number) =>
  count === 0
    ? 'new accounts, with tokens signed by the sandbox key'
    : `the accounts of ${Array.from({ length: count }, (_, index) => tokenVariable(index)).join(', ')}`

/** What a run writes and where, as lines of text. */
export const announceWrites = ({ native, core, accounts, session: { runId, permissions } }: Announcement) => [
  'This command writes to two deployments:',
  `  native    ${native}`,
  `  core      ${core}`,
  `  accounts  ${describeAccounts(accounts)}`,
  `Run ${runId} creates tracks, libraries, packs, links, lyrics, split sheets and invitations to libraries.`,
  `The names of its tracks, libraries and packs contain "${runId}". It removes them after each scenario.`,
  permissions.billing
    ? 'It CHANGES SUBSCRIPTIONS and creates checkout sessions at the billing provider (--billing).'
    : 'It changes no subscription and creates no checkout session: such scenarios are not compared.',
  permissions.irreversible
    ? 'It uploads files, starts analyses, creates short links at the link provider, records visits and exhausts rate limits (--irreversible).'
    : 'It skips what no route undoes (uploads, analyses, links to tracks with their short links, recorded visits, rate limits): not compared.',
]
