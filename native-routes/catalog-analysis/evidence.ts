import { type Citation, type Finding, maxFindings } from '#contracts/shared/catalog-findings.ts'
import type { ToolResult } from './tools/define-tool.ts'

/** The results of all tools that were called in one request. */
export interface Evidence {
  add(result: ToolResult): readonly Finding[]
  /** Returns the citation for a record; undefined if no tool returned that record. */
  find(type: string, id: string): Citation | undefined
  findings(): Finding[]
}

const keyOf = ({ type, id }: Pick<Citation, 'id'> & { readonly type: string }) => `${type}:${id}`

export const createEvidence = (): Evidence => {
  const findings = new Map<string, Finding>()
  const citations = new Map<string, Citation>()
  return {
    add: (result) => {
      for (const citation of result.citations) citations.set(keyOf(citation), citation)
      return result.findings.filter((finding) => {
        const key = `${finding.kind} ${keyOf(finding.subject)}`
        if (findings.has(key) || findings.size >= maxFindings) return false
        findings.set(key, finding)
        return true
      })
    },
    find: (type, id) => citations.get(keyOf({ type, id })),
    findings: () => [...findings.values()],
  }
}
