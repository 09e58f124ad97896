package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/notebooks/figures"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

func main() {
	for _, p := range figures.Papers {
		if p.Key != "sporf" {
			continue
		}
		for i := range p.Figures {
			f := &p.Figures[i]
			if len(os.Args) > 1 && !strings.Contains(f.Name, os.Args[1]) {
				continue
			}
			r := paper.Results{Root: "."}
			b := time.Now()
			c := f.Count(&r)
			fmt.Printf("%-22s ours=%v %-8s %s | paper %s | %d/%d\n", f.Name, f.Ours, f.State(c), c.Protocol.String(), f.Paper.String(), c.Done, c.Wanted)
			for _, j := range f.Judge(&r) {
				fmt.Printf("      %s [%s]\n", j.Found(), j.Verdict)
			}
			if f.Draw != nil {
				d := f.Draw(&r)
				if d.Chart != nil {
					ch := viz.Draw(d.Chart)
					ch.Title = f.Title(c)
					if err := ch.Save("/tmp/scr/" + strings.ReplaceAll(f.Name, " ", "_") + ".png"); err != nil {
						fmt.Println(err)
					}
				}
				for _, t := range d.Tables {
					s := t.String()
					if len(s) > 2500 {
						s = s[:2500]
					}
					fmt.Println(s)
				}
			}
			if r.Err != nil {
				fmt.Println("ERR", r.Err)
			}
			if d := time.Since(b); d > 500*time.Millisecond {
				fmt.Println("   took", d)
			}
		}
		r := paper.Results{Root: "."}
		fmt.Println(paper.TallyOf(p.Items(&r)))
	}
}
