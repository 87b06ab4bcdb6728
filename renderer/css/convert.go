package css

import "math"

// vector is three components of a colour; matrix is a linear map of them, row by row.
type (
	vector [3]float64
	matrix [3]vector
)

func (m *matrix) times(v vector) vector {
	var out vector
	for i, row := range m {
		// Conversions keep compilers from fusing: every machine must round alike.
		out[i] = float64(row[0]*v[0]) + float64(row[1]*v[1]) + float64(row[2]*v[2])
	}
	return out
}

// The matrices of CSS Color 4 (section "Sample code for color conversions").
var (
	srgbToXYZ = matrix{
		{506752. / 1228815, 87881. / 245763, 12673. / 70218},
		{87098. / 409605, 175762. / 245763, 12673. / 175545},
		{7918. / 409605, 87881. / 737289, 1001167. / 1053270},
	}
	xyzToSRGB = matrix{
		{12831. / 3959, -329. / 214, -1974. / 3959},
		{-851781. / 878810, 1648619. / 878810, 36519. / 878810},
		{705. / 12673, -2585. / 12673, 705. / 667},
	}
	p3ToXYZ = matrix{
		{608311. / 1250200, 189793. / 714400, 198249. / 1000160},
		{35783. / 156275, 247089. / 357200, 198249. / 2500400},
		{0, 32229. / 714400, 5220557. / 5000800},
	}
	a98ToXYZ = matrix{
		{573536. / 994567, 263643. / 1420810, 187206. / 994567},
		{591459. / 1989134, 6239551. / 9945670, 374412. / 4972835},
		{53769. / 1989134, 351524. / 4972835, 4929758. / 4972835},
	}
	rec2020ToXYZ = matrix{
		{63426534. / 99577255, 20160776. / 139408157, 47086771. / 278816314},
		{26158966. / 99577255, 472592308. / 697040785, 8267143. / 139408157},
		{0, 19567812. / 697040785, 295819943. / 278816314},
	}
	proPhotoToXYZD50 = matrix{
		{0.79776664490064230, 0.13518129740053308, 0.03134773412839220},
		{0.28807482881940130, 0.71183523424187300, 0.00008993693872564},
		{0, 0, 0.82510460251046020},
	}
	d50ToD65 = matrix{
		{0.955473421488075, -0.02309845494876471, 0.06325924320057072},
		{-0.0283697093338637, 1.0099953980813041, 0.021041441191917323},
		{0.012314014864481998, -0.020507649298898964, 1.330365926242124},
	}
	xyzToLMS = matrix{
		{0.8190224379967030, 0.3619062600528904, -0.1288737815209879},
		{0.0329836539323885, 0.9292868615863434, 0.0361446663506424},
		{0.0481771893596242, 0.2642395317527308, 0.6335478284694309},
	}
	lmsToOKLab = matrix{
		{0.2104542683093140, 0.7936177747023054, -0.0040720430116193},
		{1.9779985324311684, -2.4285922420485799, 0.4505937096174110},
		{0.0259040424655478, 0.7827717124575296, -0.8086757549230774},
	}
	okLabToLMS = matrix{
		{1, 0.3963377773761749, 0.2158037573099136},
		{1, -0.1055613458156586, -0.0638541728258133},
		{1, -0.0894841775298119, -1.2914855480194092},
	}
	lmsToXYZ = matrix{
		{1.2268798758459243, -0.5578149944602171, 0.2813910456659647},
		{-0.0405757452148008, 1.1122868032803170, -0.0717110580655164},
		{-0.0763729366746601, -0.4214933324022432, 1.5869240198367816},
	}
)

// whiteD50 is the white of D50, with Y = 1.
var whiteD50 = vector{0.3457 / 0.3585, 1, (1 - 0.3457 - 0.3585) / 0.3585}

// encoded returns c in gamma-encoded sRGB, outside of 0 to 1 if sRGB cannot show it.
func (c *colour) encoded() vector {
	v := vector(c.c)
	switch c.space {
	case spaceSRGB:
		return v
	case spaceHSL:
		return hslToSRGB(v)
	case spaceHWB:
		return hwbToSRGB(v)
	}
	return mapped(c.linear(), encodeSRGB)
}

// linear returns c in linear-light sRGB.
func (c *colour) linear() vector {
	switch c.space {
	case spaceSRGB, spaceHSL, spaceHWB:
		return mapped(c.encoded(), decodeSRGB)
	case spaceLinearSRGB:
		return vector(c.c)
	}
	return xyzToSRGB.times(c.xyz())
}

// xyz returns a colour of a space that is not a spelling of sRGB in XYZ with the white of D65.
func (c *colour) xyz() vector {
	v := vector(c.c)
	switch c.space {
	case spaceLCH:
		return d50ToD65.times(labToXYZ(fromPolar(v)))
	case spaceLab:
		return d50ToD65.times(labToXYZ(v))
	case spaceOKLCH:
		return okLabToXYZ(fromPolar(v))
	case spaceOKLab:
		return okLabToXYZ(v)
	case spaceDisplayP3:
		return p3ToXYZ.times(mapped(v, decodeSRGB))
	case spaceA98RGB:
		return a98ToXYZ.times(mapped(v, decodeA98))
	case spaceProPhotoRGB:
		return d50ToD65.times(proPhotoToXYZD50.times(mapped(v, decodeProPhoto)))
	case spaceRec2020:
		return rec2020ToXYZ.times(mapped(v, decodeRec2020))
	case spaceXYZD50:
		return d50ToD65.times(v)
	}
	return v
}

// mapped applies a transfer function to each component, mirrored for negative ones.
func mapped(v vector, transfer func(float64) float64) vector {
	for i, f := range v {
		v[i] = math.Copysign(transfer(math.Abs(f)), f)
	}
	return v
}

func hslToSRGB(v vector) vector {
	h, s, l := turned(v[0]), v[1]/100, v[2]/100
	a := s * math.Min(l, 1-l)
	at := func(n float64) float64 {
		k := math.Mod(n+h/30, 12)
		return l - float64(a*math.Max(-1, math.Min(1, math.Min(k-3, 9-k))))
	}
	return vector{at(0), at(8), at(4)}
}

func hwbToSRGB(v vector) vector {
	white, black := v[1]/100, v[2]/100
	if sum := white + black; sum >= 1 {
		gray := white / sum
		return vector{gray, gray, gray}
	}
	rgb := hslToSRGB(vector{v[0], 100, 50})
	for i := range rgb {
		rgb[i] = float64(rgb[i]*(1-white-black)) + white
	}
	return rgb
}

// turned brings an angle in degrees between 0 and 360.
func turned(degrees float64) float64 {
	degrees = math.Mod(degrees, 360)
	if degrees < 0 {
		degrees += 360
	}
	return degrees
}

// fromPolar turns lightness, chroma and hue into lightness, a and b.
func fromPolar(v vector) vector {
	sin, cos := math.Sincos(turned(v[2]) * (math.Pi / 180))
	return vector{v[0], v[1] * cos, v[1] * sin}
}

// labToXYZ returns XYZ with the white of D50.
func labToXYZ(v vector) vector {
	const kappa, epsilon = 24389. / 27, 216. / 24389
	fy := (v[0] + 16) / 116
	f := vector{v[1]/500 + fy, fy, fy - v[2]/200}
	for i := range f {
		if cubed := f[i] * f[i] * f[i]; cubed > epsilon {
			f[i] = cubed
		} else {
			f[i] = (float64(116*f[i]) - 16) / kappa
		}
		f[i] *= whiteD50[i]
	}
	return f
}

func okLabToXYZ(v vector) vector {
	lms := okLabToLMS.times(v)
	for i, f := range lms {
		lms[i] = f * f * f
	}
	return lmsToXYZ.times(lms)
}

// okLab returns a linear-light sRGB colour in OKLab.
func okLab(linear vector) vector {
	lms := xyzToLMS.times(srgbToXYZ.times(linear))
	for i, f := range lms {
		lms[i] = math.Cbrt(f)
	}
	return lmsToOKLab.times(lms)
}
