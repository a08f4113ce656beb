import type { RouteState } from './route-state.ts'

export interface FailedCode {
  readonly scope: string
  readonly evidenceKey: string
}

/** Whether an automatic stop has ever blamed this code. A route's state names only the code that was blamed last. */
export const hasFailed = (
  { scope, failedEvidenceKey }: Pick<RouteState, 'scope' | 'failedEvidenceKey'>,
  evidenceKey: string,
  failed: readonly FailedCode[],
) =>
  evidenceKey === failedEvidenceKey ||
  failed.some((code) => code.scope === scope && code.evidenceKey === evidenceKey)
