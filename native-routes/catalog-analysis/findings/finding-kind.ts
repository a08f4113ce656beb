import type { Finding } from '#contracts/shared/catalog-findings.ts'

export type FindingKind = Finding['kind']
