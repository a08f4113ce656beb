import { type Citation, type Finding, findingKinds, maxFindings } from '#contracts/shared/catalog-findings.ts'

export const severities: readonly Finding['severity'][] = ['blocker', 'warning', 'info']

export const compareText = (left: string, right: string) => {
  if (left === right) return 0
  return left < right ? -1 : 1
}

const compareFindings = (left: Finding, right: Finding) =>
  severities.indexOf(left.severity) - severities.indexOf(right.severity) ||
  findingKinds.indexOf(left.kind) - findingKinds.indexOf(right.kind) ||
  compareText(left.subject.title, right.subject.title) ||
  compareText(left.subject.id, right.subject.id)

export const orderFindings = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted(compareFindings)

export const selectFindings = (findings: readonly Finding[]): readonly Finding[] =>
  orderFindings(findings).slice(0, maxFindings)

/** A catalogue has at most one finding of a kind about a subject. */
export const keyOfFinding = ({ kind, subject: { type, id } }: Finding) => `${kind} ${type}:${id}`

export const citationsOf = (cited: readonly { readonly subject: Citation }[]): readonly Citation[] => {
  const byKey = new Map(cited.map(({ subject }) => [`${subject.type} ${subject.id}`, subject]))
  return [...byKey.values()]
}
