import { StructuralIssue } from '../../errors.ts'
import { SplitSheet } from '../../shared/split-sheet.ts'
import { SplitSheetInput } from '../../shared/split-sheet-input.ts'

const entry = SplitSheet.shape.master.element
const publisher = SplitSheet.shape.publishers.element
const subPublisher = publisher.shape.subPublishers.element
const entryInput = SplitSheetInput.shape.master.element
const publisherInput = SplitSheetInput.shape.publishers.unwrap().element
const subPublisherInput = publisherInput.shape.subPublishers.unwrap().element

export const splitSheetNames = {
  SplitSheet,
  SplitSheetEntry: entry,
  SplitSheetPublisher: publisher,
  SplitSheetSubPublisher: subPublisher,
  CollectionSplit: subPublisher.shape.collectionSplits.element,
  PublisherRole: publisher.shape.role,
  SplitRight: subPublisher.shape.collectionSplits.element.shape.right,
  SplitSheetInput,
  SplitSheetEntryInput: entryInput,
  SplitSheetPublisherInput: publisherInput,
  SplitSheetSubPublisherInput: subPublisherInput,
  CollectionSplitInput: subPublisherInput.shape.collectionSplits.unwrap().element,
  Territory: subPublisherInput.shape.territories.element,
  StructuralIssue,
}
