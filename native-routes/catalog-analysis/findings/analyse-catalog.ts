import { type Citation, type Finding, findingKinds } from '#contracts/shared/catalog-findings.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { findFindings } from './find-findings.ts'
import type { FindingKind } from './finding-kind.ts'
import { citationsOf, selectFindings } from './order-findings.ts'

export interface CatalogAnalysis {
  /** Blockers first; at most `maxFindings`. */
  readonly findings: readonly Finding[]
  /** The subjects of `findings`. */
  readonly citations: readonly Citation[]
  /** How many findings of each kind there are, including those that `findings` omits. */
  readonly totals: Readonly<Record<FindingKind, number>>
}

const countByKind = (findings: readonly Finding[]): CatalogAnalysis['totals'] => {
  const counts = new Map(findingKinds.map((kind) => [kind, 0]))
  for (const { kind } of findings) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return Object.fromEntries(counts) as CatalogAnalysis['totals']
}

/** Finds what is wrong or noteworthy in the catalogue of an account. */
export const analyseCatalog = async (scope: ToolScope): Promise<CatalogAnalysis> => {
  const all = await findFindings(scope)
  const findings = selectFindings(all)
  return { findings, citations: citationsOf(findings), totals: countByKind(all) }
}
