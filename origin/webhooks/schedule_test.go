package webhooks

import (
	"fmt"
	"testing"

	"example.com/livery/storage/record"
)

// TestSchedule lets every Environment have its turn, however many webhooks it has, and every webhook of an Environment.
func TestSchedule(t *testing.T) {
	t.Parallel()
	s := newSchedule()
	var all []record.Webhook
	for e := range 100 {
		for w := range 1 + e%20 {
			all = append(all, record.Webhook{ID: fmt.Sprintf("%03d/%02d", e, w), EnvironmentID: fmt.Sprintf("%03d", e)})
		}
	}
	s.keep(all)
	var going []*task
	turns := map[string]int{}
	run := func(rounds int) {
		for range rounds {
			for next := s.begin(); next != nil; next = s.begin() {
				going = append(going, next)
				turns[next.environment]++
				turns[next.id]++
			}
			if len(going) > mostRounds {
				t.Fatalf("%d rounds go on, want %d at most", len(going), mostRounds)
			}
			s.end(going[0], 0, true)
			going = going[1:]
		}
	}
	due := func(environment string) {
		for _, task := range s.tasks {
			if environment == "" || task.environment == environment {
				s.setDue(task)
			}
		}
	}
	due("019")
	run(1000)
	if n := s.shares["019"].rounds; n != mostOfEnvironment-1 && n != mostOfEnvironment {
		t.Errorf("an Environment that is alone has %d rounds at one time, want %d", n, mostOfEnvironment)
	}
	for w := range 20 {
		if n := turns[fmt.Sprintf("019/%02d", w)]; n < 40 || n > 60 {
			t.Errorf("webhook %d of 20 had %d of 1000 rounds, want 50", w, n)
		}
	}
	due("")
	run(mostRounds)
	clear(turns)
	run(10_000)
	for _, w := range all {
		if n := turns[w.EnvironmentID]; n < 90 || n > 110 {
			t.Errorf("Environment %s had %d of 10000 rounds, want 100", w.EnvironmentID, n)
		}
		if share := 100 / s.countOf(w.EnvironmentID); turns[w.ID] < share-5 || turns[w.ID] > share+5 {
			t.Errorf("webhook %s had %d rounds, want %d", w.ID, turns[w.ID], share)
		}
	}
	s.keep(append(all, record.Webhook{ID: "new/00", EnvironmentID: "new"}))
	due("new")
	run(1)
	if turns["new"] != 1 {
		t.Error("an Environment that had no round does not have the next")
	}
	s.keep(nil)
	for _, task := range going {
		s.end(task, 0, false)
	}
	s.keep(nil)
	if len(s.tasks)+len(s.shares)+len(s.waiting)+s.rounds != 0 {
		t.Errorf("%d tasks and %d shares are left of webhooks that are gone, and %d rounds", len(s.tasks), len(s.shares), s.rounds)
	}
}

func (s *schedule) countOf(environment string) (n int) {
	for _, t := range s.tasks {
		if t.environment == environment {
			n++
		}
	}
	return n
}
