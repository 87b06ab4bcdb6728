package edge_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/livery/internal/test/race"
)

const withoutFastPath = "TestWithoutTheFastPath_Long"

// fastPath reports whether the edges of a test have the fast path.
func fastPath(t testing.TB) bool { return !strings.HasPrefix(t.Name(), withoutFastPath+"/") }

// choosesItself are the tests that say for each of their edges whether it has the fast path.
var choosesItself = []string{
	"TestWhatWaitsIsCounted", "TestPressureOfOneClientThatWaits",
	"TestAttacksOnFramingAreRefusedByTheEdge",
	"TestAttacksOnAddressesAndMethodsAtTheEdge",
	"TestRequestsOfOneConnectionStayApart",
	"TestWrongAnswersAreNotAskedForAgainAtOnce",
	"TestFullDiskKeepsWhatIsAskedForNow",
	"TestHTTP2KeepsTheStandard",
	"TestShutdown_ConnectionsWithoutARequest", "TestShutdown_RequestsInProgress", "TestReadyWithTheRenderer",
}

// onBothPaths are the tests of a running edge: each holds with the fast path and without it.
var onBothPaths = map[string]func(*testing.T){
	"TestModesAreServed":                           TestModesAreServed,
	"TestModesHaveTheRulesOfTheirFile":             TestModesHaveTheRulesOfTheirFile,
	"TestSignaturesCoverModes":                     TestSignaturesCoverModes,
	"TestRulesHoldForModes":                        TestRulesHoldForModes,
	"TestModesFollowTheTheme":                      TestModesFollowTheTheme,
	"TestModesOutlastARestart":                     TestModesOutlastARestart,
	"TestTreeServesModes":                          TestTreeServesModes,
	"TestDictionariesAreOfTheSameModes":            TestDictionariesAreOfTheSameModes,
	"TestPublishAtAFullCacheKeepsWhatIsHot":        TestPublishAtAFullCacheKeepsWhatIsHot,
	"TestDeletedThemeLeavesTheMemory":              TestDeletedThemeLeavesTheMemory,
	"TestRestartedEdgeServesFromDisk":              TestRestartedEdgeServesFromDisk,
	"TestDamagedFilesOnDiskAreNotServed":           TestDamagedFilesOnDiskAreNotServed,
	"TestPairsComeWithTheirInputs":                 TestPairsComeWithTheirInputs,
	"TestFilesOnDiskObeyTheRules":                  TestFilesOnDiskObeyTheRules,
	"TestFilesOnDiskHaveABudget":                   TestFilesOnDiskHaveABudget,
	"TestFullDiskKeepsAddressesWhoseFilesItHas":    TestFullDiskKeepsAddressesWhoseFilesItHas,
	"TestOneRenderingGivesAllCodings":              TestOneRenderingGivesAllCodings,
	"TestVariantsAreEncodedByTheirTheme":           TestVariantsAreEncodedByTheirTheme,
	"TestUnchangedFilesKeepTheirValidators":        TestUnchangedFilesKeepTheirValidators,
	"TestSilentUpstreamIsPassedOver":               TestSilentUpstreamIsPassedOver,
	"TestEveryReasonForBeingCutOffIsTold":          TestEveryReasonForBeingCutOffIsTold,
	"TestMetricsTellWhatIsHeld":                    TestMetricsTellWhatIsHeld,
	"TestContractOfTheEdge":                        TestContractOfTheEdge,
	"TestConnectionsOfOneClientAreBounded":         TestConnectionsOfOneClientAreBounded,
	"TestSilentConnectionsDoNotHoldTheEnd":         TestSilentConnectionsDoNotHoldTheEnd,
	"TestAnswersOfferThemselvesAsDictionaries":     TestAnswersOfferThemselvesAsDictionaries,
	"TestSmallFilesAreNoDictionaries":              TestSmallFilesAreNoDictionaries,
	"TestChangedFilesAreSentAsDeltas":              TestChangedFilesAreSentAsDeltas,
	"TestLatestIsADictionaryOfLatest":              TestLatestIsADictionaryOfLatest,
	"TestDeltasAreConditional":                     TestDeltasAreConditional,
	"TestDeltasAreForWhoAsks":                      TestDeltasAreForWhoAsks,
	"TestRestrictedThemesHaveNoDeltas":             TestRestrictedThemesHaveNoDeltas,
	"TestDeltasCanBeOff":                           TestDeltasCanBeOff,
	"TestDictionariesAreOfTheLine":                 TestDictionariesAreOfTheLine,
	"TestDeltasThatDoNotPayAreNotSent":             TestDeltasThatDoNotPayAreNotSent,
	"TestInventedDictionariesCostNothing":          TestInventedDictionariesCostNothing,
	"TestDictionariesAreFoundOnDisk":               TestDictionariesAreFoundOnDisk,
	"TestDeltasUnderLoad":                          TestDeltasUnderLoad,
	"TestShutdownLosesNoRequest":                   TestShutdownLosesNoRequest,
	"TestShutdownWaitsForMisses":                   TestShutdownWaitsForMisses,
	"TestConnectionsAreBounded":                    TestConnectionsAreBounded,
	"TestProxyProtocolNamesTheClient":              TestProxyProtocolNamesTheClient,
	"TestPinnedFilesAreImmutable":                  TestPinnedFilesAreImmutable,
	"TestLatestLivesForTheCacheLifetime":           TestLatestLivesForTheCacheLifetime,
	"TestVariantServesItsValues":                   TestVariantServesItsValues,
	"TestUnsealedPairIsNotImmutable":               TestUnsealedPairIsNotImmutable,
	"TestPrefixIsPartOfTheContent":                 TestPrefixIsPartOfTheContent,
	"TestChangesAreSeen":                           TestChangesAreSeen,
	"TestHotFilesAreMadeAhead":                     TestHotFilesAreMadeAhead,
	"TestEnvironmentChangeIsSeen":                  TestEnvironmentChangeIsSeen,
	"TestResetAsksForEverythingAgain":              TestResetAsksForEverythingAgain,
	"TestMissedChangesAreCaughtUp":                 TestMissedChangesAreCaughtUp,
	"TestAgeNeverExceedsTheLifetime":               TestAgeNeverExceedsTheLifetime,
	"TestHeartbeatConfirms":                        TestHeartbeatConfirms,
	"TestPublishedAddressAnswersAtOnce":            TestPublishedAddressAnswersAtOnce,
	"TestHTTP2AnswersAsHTTP1":                      TestHTTP2AnswersAsHTTP1,
	"TestEachClientGetsItsProtocol":                TestEachClientGetsItsProtocol,
	"TestHTTP2DropsBodies":                         TestHTTP2DropsBodies,
	"TestHTTP2SeesTheClientBehindABalancer":        TestHTTP2SeesTheClientBehindABalancer,
	"TestSessionsResumeOnBothProtocols":            TestSessionsResumeOnBothProtocols,
	"TestFloodsAreBounded":                         TestFloodsAreBounded,
	"TestRequestsOfOneClientAreBounded":            TestRequestsOfOneClientAreBounded,
	"TestHeadsOfHTTP2AreBounded":                   TestHeadsOfHTTP2AreBounded,
	"TestFramesOfHeadsAreReadAsTheyAre":            TestFramesOfHeadsAreReadAsTheyAre,
	"TestClosedWindowsAreNotWaitedFor":             TestClosedWindowsAreNotWaitedFor,
	"TestStreamsAreBounded":                        TestStreamsAreBounded,
	"TestRapidResetEndsTheConnection":              TestRapidResetEndsTheConnection,
	"TestHTTP2ConnectionsAreCounted":               TestHTTP2ConnectionsAreCounted,
	"TestShutdownAnswersHTTP2":                     TestShutdownAnswersHTTP2,
	"TestShutdownUnderLoadLosesNoRequestOfHTTP2":   TestShutdownUnderLoadLosesNoRequestOfHTTP2,
	"TestHangingUpstreamIsNotWaitedFor":            TestHangingUpstreamIsNotWaitedFor,
	"TestHangingUpstreamDoesNotHoldUpWhatIsHeld":   TestHangingUpstreamDoesNotHoldUpWhatIsHeld,
	"TestAnotherUpstreamIsAskedBesideOneThatHangs": TestAnotherUpstreamIsAskedBesideOneThatHangs,
	"TestConnectionIsAListOfTokens":                TestConnectionIsAListOfTokens,
	"TestIfMatch":                                  TestIfMatch,
	"TestLinesOfHeadsEndInCRLF":                    TestLinesOfHeadsEndInCRLF,
	"TestLineEndsAreSeenInPieces":                  TestLineEndsAreSeenInPieces,
	"TestFirstAnswersUnderTLSAreNotDelayed":        TestFirstAnswersUnderTLSAreNotDelayed,
	"TestEncodingsBecomeSmaller":                   TestEncodingsBecomeSmaller,
	"TestAnswersSayHowTheyCameAbout":               TestAnswersSayHowTheyCameAbout,
	"TestSlowReadersAreDropped":                    TestSlowReadersAreDropped,
	"TestSealedRecordsAreWrittenOnce":              TestSealedRecordsAreWrittenOnce,
	"TestOutageServesWhatIsHeld":                   TestOutageServesWhatIsHeld,
	"TestServerErrorsAreAnOutage":                  TestServerErrorsAreAnOutage,
	"TestNewVersionWaitsForItsInputs":              TestNewVersionWaitsForItsInputs,
	"TestRestartWithoutUpstreamServesOn":           TestRestartWithoutUpstreamServesOn,
	"TestDamagedDiskIsNotServed":                   TestDamagedDiskIsNotServed,
	"TestSecretsAreNotOnDisk":                      TestSecretsAreNotOnDisk,
	"TestMissesShareOneQuestion":                   TestMissesShareOneQuestion,
	"TestUnknownAddressesAreRemembered":            TestUnknownAddressesAreRemembered,
	"TestUnpublishedLatestAppears":                 TestUnpublishedLatestAppears,
	"TestVersionsKeepTheirModules":                 TestVersionsKeepTheirModules,
	"TestDamagedPlanIsFetchedAgain":                TestDamagedPlanIsFetchedAgain,
	"TestPressureOfConnections":                    TestPressureOfConnections,
	"TestPressureOfSlowReaders":                    TestPressureOfSlowReaders,
	"TestPressureOnAColdCache":                     TestPressureOnAColdCache,
	"TestPressureSheds":                            TestPressureSheds,
	"TestLatestIsNeverAMissAfterAPublish":          TestLatestIsNeverAMissAfterAPublish,
	"TestGraceEnds":                                TestGraceEnds,
	"TestAPublishIsAskedForAtOnce":                 TestAPublishIsAskedForAtOnce,
	"TestARefreshIsNotBelieved":                    TestARefreshIsNotBelieved,
	"TestARefreshIsOnDiskAfterAStop":               TestARefreshIsOnDiskAfterAStop,
	"TestPublishMakesNoPinnedFileAgain":            TestPublishMakesNoPinnedFileAgain,
	"TestQuestionsWaitForARestart":                 TestQuestionsWaitForARestart,
	"TestFirstQuestionAfterALongOutageIsAnswered":  TestFirstQuestionAfterALongOutageIsAnswered,
	"TestFeedThatIsBackConfirmsAtOnce":             TestFeedThatIsBackConfirmsAtOnce,
	"TestQuestionsDoNotHammerALostUpstream":        TestQuestionsDoNotHammerALostUpstream,
	"TestErrorsHaveTheErrorBody":                   TestErrorsHaveTheErrorBody,
	"TestHeadHasTheHeadOfGet":                      TestHeadHasTheHeadOfGet,
	"TestEncodingsHaveTheirOwnValidators":          TestEncodingsHaveTheirOwnValidators,
	"TestTreeServesManifests":                      TestTreeServesManifests,
	"TestUnpublishedThemesHaveNoManifest":          TestUnpublishedThemesHaveNoManifest,
	"TestManifestsAreServed":                       TestManifestsAreServed,
	"TestManifestsHaveTheRulesOfTheirTheme":        TestManifestsHaveTheRulesOfTheirTheme,
	"TestManifestsCanBeOff":                        TestManifestsCanBeOff,
	"TestManifestsOutlastARestart":                 TestManifestsOutlastARestart,
	"TestAnswersHaveTheirDigest":                   TestAnswersHaveTheirDigest,
	"TestSmallFilesAreNotEncoded":                  TestSmallFilesAreNotEncoded,
	"TestRangesAreOfIdentity":                      TestRangesAreOfIdentity,
	"TestRequestsChangeNoByte":                     TestRequestsChangeNoByte,
	"TestOriginsAreEnforced":                       TestOriginsAreEnforced,
	"TestPreflightsFollowTheOriginRule":            TestPreflightsFollowTheOriginRule,
	"TestAddressRangesAreEnforced":                 TestAddressRangesAreEnforced,
	"TestSignedFilesNeedASignature":                TestSignedFilesNeedASignature,
	"TestChecksKeepTheirOrder":                     TestChecksKeepTheirOrder,
	"TestUnreadableRequestsAreRefusedWhole":        TestUnreadableRequestsAreRefusedWhole,
	"TestAsteriskIsAnswered":                       TestAsteriskIsAnswered,
	"TestAbsoluteFormCountsByItsPath":              TestAbsoluteFormCountsByItsPath,
	"TestPipelinedRequestsAreAnsweredInTurn":       TestPipelinedRequestsAreAnsweredInTurn,
	"TestMetricsHoldNoIDs":                         TestMetricsHoldNoIDs,
	"TestUpstreamsFailOver":                        TestUpstreamsFailOver,
	"TestLatestIsAskedForWithoutAFeed":             TestLatestIsAskedForWithoutAFeed,
	"TestQuestionsCarryTheTraceOn":                 TestQuestionsCarryTheTraceOn,
	"TestTreeSeesChanges":                          TestTreeSeesChanges,
	"TestTreeAsksTheOriginOnce":                    TestTreeAsksTheOriginOnce,
	"TestTreeHeals":                                TestTreeHeals,
	"TestTreeSaysHowOldItIs":                       TestTreeSaysHowOldItIs,
	"TestFeedOfAnEdge":                             TestFeedOfAnEdge,
	"TestFeedOfAnEdgeGoesOn":                       TestFeedOfAnEdgeGoesOn,
	"TestTreeTellsAPublishAtOnce":                  TestTreeTellsAPublishAtOnce,
	"TestACutOffEdgeTellsNothingAtOnce":            TestACutOffEdgeTellsNothingAtOnce,
	"TestTreeAsksLittleWhileCutOff":                TestTreeAsksLittleWhileCutOff,
	"TestFloodOfUnknownAddresses":                  TestFloodOfUnknownAddresses,
	"TestPagesFollowChanges":                       TestPagesFollowChanges,
	"TestEventStreamsHaveTheRulesOfTheirTheme":     TestEventStreamsHaveTheRulesOfTheirTheme,
	"TestEventStreamsAreBounded":                   TestEventStreamsAreBounded,
	"TestPagesHearOfWhatUpstreamDidNotSay":         TestPagesHearOfWhatUpstreamDidNotSay,
}

// TestWithoutTheFastPath_Long runs the tests of a running edge once more, without the fast path. The race detector, which takes
// ten times as long, sees those with it alone: the full server is behind it.
func TestWithoutTheFastPath_Long(t *testing.T) {
	if testing.Short() || race.Enabled || testing.CoverMode() != "" {
		t.Skip("the edge with the fast path has the full server behind it: make check runs this")
	}
	for _, name := range slices.Sorted(maps.Keys(onBothPaths)) {
		t.Run(name, onBothPaths[name])
	}
}

// runningEdges are the tests that started an edge.
var runningEdges sync.Map

// missingPaths returns the tests that started an edge and run on one path alone.
func missingPaths() (missing []string) {
	runningEdges.Range(func(name, _ any) bool {
		if test := name.(string); strings.HasPrefix(test, "Test") && onBothPaths[test] == nil && test != withoutFastPath && !slices.Contains(choosesItself, test) {
			missing = append(missing, test)
		}
		return true
	})
	return missing
}

// startsEdge notes that a test starts an edge.
func startsEdge(t testing.TB) {
	test, _, _ := strings.Cut(t.Name(), "/")
	runningEdges.Store(test, true)
}
