import { html } from 'hono/html'
import { formatWeight } from '../../model/format-state.ts'
import type { RouteNote } from '../../model/route-notes.ts'
import { fullWeightBp } from '../../model/route-state.ts'
import type { ListedRoute } from '../api-types.ts'
import { type BadgeKind, renderBadge, renderState } from './html.ts'

export const renderStage = ({ stage, weightBp }: Pick<ListedRoute['state'], 'stage' | 'weightBp'>) =>
  html`<span class="stage">${renderState(stage ?? '')}<progress class="weight" max="${fullWeightBp}" value="${weightBp}" aria-hidden="true"></progress><span class="number small">${formatWeight(weightBp)}</span></span>`

export const isStopped = ({ isStoppedHere, hasFailedCode }: ListedRoute) => isStoppedHere || hasFailedCode

export const isFullyNative = ({ isTwoSided, state, fixedHere }: ListedRoute) =>
  !isTwoSided || ['native', 'retired'].includes((fixedHere ?? state).stage ?? '')

const badgeKinds: Partial<Record<RouteNote['kind'], BadgeKind>> = {
  stopped: 'bad',
  failed: 'bad',
  paused: 'bad',
  mode: '',
}

export const renderBadges = ({ notes }: ListedRoute) =>
  notes.map(
    ({ kind, text }) =>
      html`${kind === 'killed' || kind === 'held' ? renderState(kind, text) : renderBadge(text, badgeKinds[kind] ?? 'warn')} `,
  )
